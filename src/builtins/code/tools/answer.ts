import { UnknownLanguage } from '../languages/language-filter.ts'
import { PatternError } from '../engine/search/line-pattern.ts'
import { SymbolFilterError } from '../engine/search/search-filter.ts'
import type { ToolOutput } from '../../kit/define-tool.ts'
import { InBandError } from './in-band-error.ts'

/** Returns a list as JSON text and under `result`: structured content must be an object. */
export function listAnswer(items: readonly unknown[]): ToolOutput {
  return {
    raw: {
      content: [{ type: 'text', text: JSON.stringify(items) }],
      structuredContent: { result: items },
    },
  }
}

export function objectAnswer(body: Record<string, unknown>): ToolOutput {
  return { structured: body }
}

/** Runs a tool whose contract returns failures as a list of one. */
export async function inBandList(
  run: () => Promise<readonly unknown[]>,
): Promise<readonly unknown[]> {
  try {
    return await run()
  } catch (error) {
    return [toInBand(error).toBody()]
  }
}

/** Runs a tool whose contract returns failures as an object. */
export async function answeringObject(
  run: () => Promise<Record<string, unknown>>,
): Promise<ToolOutput> {
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
