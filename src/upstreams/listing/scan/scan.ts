import { type JsonObject } from '../../../base/json/json.ts'
import { type ScanFinding } from './finding.ts'
import { scanHidden } from './hidden-text.ts'
import { type KnownNames, scanNames } from './names.ts'
import { scanOrders } from './orders.ts'
import { textsOf } from './texts-of.ts'
import { toQuote } from './to-quote.ts'

/** A definition is at most as long; longer results of tools are scanned in part. */
const MAX_CHARS = 256 * 1024
const MAX_FINDINGS = 20

/** What else there is, so that a definition that means or imitates it is recognised. */
export interface ScanContext extends KnownNames {
  /** The server whose definition it is. */
  readonly server: string
}

/**
 * Looks for what hides in a text, or instructs the model. Deterministic, without a model, in time
 * linear in the text.
 */
export function scanText(text: string): ScanFinding[] {
  return scanAt(text, '')
}

/**
 * Scans a tool, prompt or resource template: every text of it that a model reads, and its name.
 *
 * @example
 * ```ts
 * scanDefinition(tool.definition, { server: 'files', tools: new Map([['mail', ['send_email']]]) })
 * ```
 */
export function scanDefinition(definition: JsonObject, context: ScanContext): ScanFinding[] {
  const texts = [...textsOf(definition)]
  const found = texts.flatMap(({ text, where }) => scanAt(text, where))
  const taken = texts.find(
    ({ text, where }) => where.endsWith(`.${text}`) && TAKES_ALONG.test(text),
  )
  if (taken)
    found.push({
      class: 'medium',
      rule: 'parameter-name',
      quote: toQuote(taken.text),
      reason: 'an argument of this name takes along what the model knows',
      where: taken.where,
    })
  return [...found, ...scanNames(definition, texts, context)].slice(0, MAX_FINDINGS)
}

/** Arguments that only serve to take along what the model knows. */
const TAKES_ALONG =
  /^_*(?:system_?prompts?|conversation(?:_?(?:history|context|log))?|(?:chat|message)_?history|previous_?messages|tool_?call_?history|chain_?of_?thought|model_?reasoning|(?:available|all|other)_?tools|side_?notes?|user_?secrets?)_*$/iu

function scanAt(given: string, where: string): ScanFinding[] {
  const text = given.slice(0, MAX_CHARS)
  return [...scanHidden(text), ...scanOrders(text)]
    .slice(0, MAX_FINDINGS)
    .map((finding) => ({ ...finding, where }))
}
