import { z } from 'zod'
import type { Service } from '../../protocol/service.ts'
import { VERSION } from '../../base/version.ts'
import { createService } from '../../builtins/kit/create-service.ts'
import { defineTool } from '../../builtins/kit/define-tool.ts'

interface Ticket {
  readonly id: number
  readonly title: string
  status: 'open' | 'closed'
}

type Tickets = Map<number, Ticket>

const id = z.int().describe('Number of the ticket')

const listTickets = defineTool({
  name: 'list_tickets',
  description: 'List tickets, all or by status.',
  input: z.object({ status: z.enum(['open', 'closed']).optional() }),
  annotations: { readOnlyHint: true },
  run: async ({ status }, tickets: Tickets) => ({
    structured: {
      tickets: [...tickets.values()].filter(
        (each) => status === undefined || each.status === status,
      ),
    },
  }),
})

const closeTicket = defineTool({
  name: 'close_ticket',
  description: 'Close a ticket with a comment that says how it was solved.',
  input: z.object({ id, comment: z.string() }),
  run: async ({ id: wanted, comment }, tickets: Tickets) => {
    const ticket = tickets.get(wanted)
    if (!ticket) return { structured: { error: `no ticket ${wanted}` }, isError: true }
    ticket.status = 'closed'
    return { structured: { ...ticket, comment } }
  },
})

const deleteTicket = defineTool({
  name: 'delete_ticket',
  description: 'Delete a ticket for good.',
  input: z.object({ id }),
  annotations: { destructiveHint: true },
  run: async ({ id: wanted }, tickets: Tickets) => ({
    structured: { deleted: tickets.delete(wanted) },
  }),
})

/** A small issue tracker, in memory. */
export function createTickets(): Service {
  const titles = ['Discount is taken twice', 'Invoice shows no VAT', 'Search finds old prices']
  const tickets: Tickets = new Map(
    titles.map((title, index) => [index + 1, { id: index + 1, title, status: 'open' }]),
  )
  return createService<Tickets>({
    name: 'tickets',
    version: VERSION,
    instructions: 'Tickets of the web shop.',
    tools: [listTickets, closeTicket, deleteTicket],
    deps: tickets,
  })
}
