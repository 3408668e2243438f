import { z } from 'zod'
import type { Service } from '../../protocol/service.ts'
import { VERSION } from '../../base/version.ts'
import { createService } from '../../builtins/kit/create-service.ts'
import { defineTool } from '../../builtins/kit/define-tool.ts'

interface Booking {
  readonly day: string
  readonly hour: number
  readonly title: string
}

const day = z.iso.date().describe('Day, as 2027-01-31')
const hour = z.int().min(0).max(23).describe('Hour of the day')

const listBookings = defineTool({
  name: 'list_bookings',
  description: 'List what is booked on a day.',
  input: z.object({ day }),
  annotations: { readOnlyHint: true },
  run: async (input, bookings: Booking[]) => ({
    structured: { bookings: bookings.filter((each) => each.day === input.day) },
  }),
})

const bookMeeting = defineTool({
  name: 'book_meeting',
  description: 'Book a meeting of an hour.',
  input: z.object({ day, hour, title: z.string() }),
  run: async (booking, bookings: Booking[]) => {
    bookings.push(booking)
    return { structured: { ...booking } }
  },
})

/** A small calendar, in memory. */
export function createCalendar(): Service {
  return createService<Booking[]>({
    name: 'calendar',
    version: VERSION,
    instructions: 'Meetings of the team.',
    tools: [listBookings, bookMeeting],
    deps: [],
  })
}
