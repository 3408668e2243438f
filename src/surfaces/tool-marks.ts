import { type JsonObject, isObject } from '../base/json/json.ts'
import type { Client } from '../gateway/call.ts'
import type { Tool } from '../gateway/upstream.ts'
import { profileOfClient } from '../protocol/client-profiles.ts'
import { everydayWordsOf } from './tool-search/everyday-words.ts'
import { purposeOf } from './tool-search/product-purposes.ts'
import { nameInWords } from './tool-search/tool-text.ts'

/** Makes Claude Code ask its person before every call, whatever its own permissions say. */
const INTERACTION = 'anthropic/requiresUserInteraction'
/** Further words that the search of Claude Code finds a tool by. */
const SEARCH_HINT = 'anthropic/searchHint'
/** How much of a result Claude Code shows, instead of its default. */
const MAX_RESULT = 'anthropic/maxResultSizeChars'

/** More would make a list of hundreds of tools long. */
const MAX_HINT_CHARS = 300
/** Claude Code allows no more. */
const MAX_RESULT_CHARS = 500_000
const CHARS_PER_TOKEN = 4

export interface Marking {
  readonly client: Client | undefined
  /** Whether a person is asked before every call. */
  readonly asks: boolean
  /** The most tokens of a result that the settings and rules allow; undefined without a limit. */
  readonly maxTokens: number | undefined
}

/** Adds what clients read about a tool in `_meta`. What its server says there stays. */
export function withMarks(definition: JsonObject, tool: Tool, marking: Marking): JsonObject {
  const { client, asks, maxTokens } = marking
  const profile = profileOfClient(client?.info?.['name'])
  const marks = {
    ...(profile?.readsMarks && {
      ...hintOf(tool),
      ...resultSizeOf(maxTokens, profile.facts?.keeps?.tokens),
    }),
  }
  const { _meta: meta } = definition
  const all = { ...marks, ...(isObject(meta) && meta), ...(asks && { [INTERACTION]: true }) }
  if (!asks && Object.keys(marks).length === 0) return definition
  return { ...definition, _meta: all }
}

/** Returns the everyday words that our own search finds the tool by. */
function hintOf(tool: Tool): JsonObject {
  const words = [everydayWordsOf(nameInWords(tool)), purposeOf(tool.server)]
  const hint = words.filter((text) => text !== '').join(', ')
  return hint === '' ? {} : { [SEARCH_HINT]: hint.slice(0, MAX_HINT_CHARS) }
}

/** A client that keeps less than a person has allowed is told so. */
function resultSizeOf(maxTokens: number | undefined, kept: number | undefined): JsonObject {
  if (maxTokens === undefined || kept === undefined || maxTokens <= kept) return {}
  return { [MAX_RESULT]: Math.min(maxTokens * CHARS_PER_TOKEN, MAX_RESULT_CHARS) }
}
