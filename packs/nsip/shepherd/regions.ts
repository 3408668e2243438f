import type { JsonObject } from 'portolan'
import { object, refusal, texts } from '../values.ts'

export interface Region extends JsonObject {
  readonly name: string
}

/** Finds a region by its name, by a state, or by a ZIP code. */
export function regionOf(known: JsonObject, given: string): Region | undefined {
  const wanted = given.trim()
  const found = Object.entries(object(known['regions'])).find(
    ([name, raw]) =>
      name === wanted.toLowerCase() ||
      texts(object(raw)['states']).includes(wanted.toUpperCase()) ||
      (/^\d{5}$/.test(wanted) && texts(object(raw)['zip']).includes(wanted.slice(0, 1))),
  )
  return found && { ...object(found[1]), name: found[0] }
}

/** Like `regionOf`, but throws for an unknown region: general advice would be taken for its own. */
export function regionNamed(known: JsonObject, given: string, tool: string): Region | undefined {
  const region = regionOf(known, given)
  if (region || given.trim() === '') return region
  const names = Object.keys(object(known['regions'])).join(', ')
  const problem = {
    parameter: 'region',
    value: given,
    expected: `one of ${names}, a state such as OH, or a ZIP code`,
    suggestion: 'Give a state, or leave the region out.',
  }
  throw refusal('invalid', `There is no region ${given}`, { tool, problems: [problem] })
}
