import { expect, it } from 'vitest'
import type { Tool } from '../../gateway/upstream.ts'
import { createBuiltinEmbedder } from '../../search/embed/builtin-embedder.ts'
import { searchTools } from './search-tools.ts'
import { ToolIndex } from './tool-index.ts'
import { createToolMeanings } from './tool-meanings.ts'

function aTool(server: string, name: string, description: string): Tool {
  const definition = { name, description, inputSchema: { type: 'object' } }
  return { server, name, definition, readOnly: /^(?:get|list|Get)/.test(name) }
}

/** Opens the index of some tools; each answer is that of `find_tools`. */
function open(tools: readonly Tool[]) {
  const index = new ToolIndex()
  const meanings = createToolMeanings({ own: async () => createBuiltinEmbedder() })
  for (const each of [index, meanings]) each.update(tools)
  return async (requests: string[], more: Partial<Parameters<typeof searchTools>[1]> = {}) => {
    const { nearness } = await meanings.near(requests)
    const asked = { requests, meanings: nearness, permits: () => true, ...more }
    const answer = searchTools(index, asked)
    return { answer, calls: JSON.stringify(answer['tools']).match(/\w+(?=\()/g) ?? [] }
  }
}

const TOOLS = [
  aTool('github', 'create_issue', 'Open a new issue in a repository.'),
  aTool('github', 'list_issues', 'List issues of a repository'),
  aTool('github', 'create_branch', 'Create a branch in a repository'),
  aTool('slack', 'post_message', 'Send a message to a channel'),
  aTool('files', 'write_file', 'Create a file or overwrite it with new content'),
  aTool('maps', 'get_directions', 'Route between two places'),
  aTool('playwright', 'browser_take_screenshot', 'Take a screenshot of the current page'),
]

it('takes what fits one wording before what is near to another, and keeps the best of each', async () => {
  const ask = open(TOOLS)
  const vague = 'keep a copy of what I see'
  expect((await ask([vague])).answer).toHaveProperty('tools.0.weak', true)
  const requests = [vague, 'send a message to a channel', 'create a branch']
  const { answer, calls } = await ask(requests, { wordings: 2, limit: 2 })
  expect(calls.slice(0, 2).toSorted()).toEqual(['create_branch', 'post_message'])
  expect(answer).not.toHaveProperty('nothing_fits')
  expect(answer).not.toHaveProperty('tools.0.weak')
})

it('answers each step of a query, and its other wordings as one request more', async () => {
  const steps = ['create a branch', 'route between two places']
  const { calls } = await open(TOOLS)([...steps, 'take a screenshot of the page'], {
    wordings: 1,
    limit: 3,
  })
  expect(calls.slice(0, 3)).toEqual(['create_branch', 'get_directions', 'browser_take_screenshot'])
})

it('names what would fit if its server were not down', async () => {
  const away = { standing: ({ server }: Tool) => (server === 'github' ? -9 : 0), limit: 1 }
  const ask = async (down: string) =>
    (await open(TOOLS)(['open a new issue'], { ...away, down: new Set([down]) })).answer
  expect((await ask('github'))['down_now']).toEqual(['github.create_issue'])
  expect(await ask('maps')).not.toHaveProperty('down_now')
})

it('prefers an operation on the thing itself to those on its relatives', async () => {
  const ask = open([
    aTool('pay', 'PostRefundsRefundCancel', 'Cancels a refund with a status of requires_action.'),
    aTool('pay', 'PostRefundsRefund', 'Updates the refund that you specified.'),
    aTool('pay', 'GetRefundsRefund', 'Retrieves the details of an existing refund.'),
    aTool('pay', 'PostRefunds', 'Create a refund.'),
    aTool('pay', 'PostCustomersCustomerSubscriptions', 'Creates a subscription for a customer.'),
    aTool('pay', 'PostCustomers', 'Creates a new customer object.'),
    aTool('pay', 'DeleteCustomersCustomerDiscount', 'Removes the discount of a customer.'),
    aTool('pay', 'DeleteCustomersCustomer', 'Permanently deletes a customer.'),
  ])
  const first = async (query: string) => (await ask([query])).calls[0]
  expect(await first('refund a payment')).toBe('PostRefunds')
  expect(await first('add a new customer')).toBe('PostCustomers')
  expect(await first('remove a customer')).toBe('DeleteCustomersCustomer')
})
