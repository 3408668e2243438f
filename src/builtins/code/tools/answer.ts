import { UnknownLanguage } from '../languages/language-filter.ts'
import { PatternError } from '../engine/search/line-pattern.ts'
import { SymbolFilterError } from '../engine/search/search-filter.ts'
import type { ToolOutput } from '../../kit/define-tool.ts'
import { type InBandBody, InBandError } from './in-band-error.ts'

/** Returns a list as JSON text and under `result`: structured content must be an object. */
export function listAnswer<Item>(items: Item[]): ToolOutput<{ result: Item[] }> {
  return { structured: { result: items }, text: JSON.stringify(items) }
}

export function objectAnswer<Body>(body: Body): ToolOutput<Body> {
  return { structured: body }
}

/** Runs a tool whose contract returns failures as a list of one. */
export async function inBandList<Item>(run: () => Promise<Item[]>): Promise<(Item | InBandBody)[]> {
  try {
    return await run()
  } catch (error) {
    return [toInBand(error).toBody()]
  }
}

/** Runs a tool whose contract returns failures as an object. */
export async function answeringObject<Body>(
  run: () => Promise<Body>,
): Promise<ToolOutput<Body | InBandBody>> {
  try {
    return objectAnswer(await run())
  } catch (error) {
    return objectAnswer(toInBand(error).toBody())
  }
}

/** Turns an error that the caller can fix into a value; rethrows any other as a defect. */
function toInBand(error: unknown): InBandError {
  if (error instanceof InBandError) return error
  if (error instanceof SymbolFilterError) {
    return new InBandError('Symbol filter error', error.message, { results: [] }, error)
  }
  if (error instanceof UnknownLanguage) {
    return new InBandError('Unknown language', error.message, { results: [] }, error)
  }
  if (error instanceof PatternError) {
    return new InBandError('Invalid pattern', error.message, { results: [] }, error)
  }
  throw error
}
