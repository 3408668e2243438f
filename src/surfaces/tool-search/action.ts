import type { Tool } from '../../gateway/upstream.ts'
import { splitIdentifier } from '../../search/analyse/split-identifier.ts'
import { shownName } from '../../gateway/tools/tool-ref.ts'

/** What a request wants done, or a tool does. APIs have many tools for one thing, which differ in it. */
export type Action = 'create' | 'read' | 'change' | 'delete'

const VERBS: Readonly<Record<Action, string>> = {
  create:
    'add begin buy create generate insert invite make new open order publish register reserve save start store upload write',
  read: 'check count describe display download fetch find get list lookup query read retrieve return search see show view watch',
  change:
    'adjust change correct edit mark modify move patch put rename replace reorder set switch update',
  delete:
    'abort cancel clear close delete destroy detach discard disconnect drop end erase expire forget purge remove revoke stop terminate void wipe',
}

const ACTIONS = new Map(
  (['create', 'read', 'change', 'delete'] as const).flatMap((action) =>
    VERBS[action].split(' ').map((verb) => [verb, action] as const),
  ),
)

/** Verbs of several words, whose first word alone means something else. */
const PHRASES: readonly (readonly [pattern: RegExp, action: Action])[] = [
  [/^(?:get rid|throw (?:\w+ ){0,3}(?:away|out)|kick|take (?:\w+ ){0,3}(?:away|off))\b/, 'delete'],
  [/^(?:set up|sign (?:\w+ )?up)\b/, 'create'],
  [/^(?:look|tell me|give me)\b/, 'read'],
]

/** Returns the action of an instruction without its polite beginning, if its verb tells. */
export function actionOfRequest(instruction: string): Action | undefined {
  const text = instruction.toLowerCase()
  const phrase = PHRASES.find(([pattern]) => pattern.test(text))
  return phrase ? phrase[1] : ACTIONS.get(firstWord(text))
}

/** Returns what a tool does, by the first word of its description or by its name. */
export function actionOfTool(tool: Tool): Action | undefined {
  const { description } = tool.definition
  const said = firstWord(typeof description === 'string' ? description.toLowerCase() : '')
  const words = splitIdentifier(shownName(tool))
  return (
    ACTIONS.get(said) ??
    ACTIONS.get(said.replace(/e?s$/, '')) ??
    ACTIONS.get(said.replace(/s$/, '')) ??
    actionOfMethod(words) ??
    words.map((word) => ACTIONS.get(word)).find((action) => action !== undefined)
  )
}

/** `PostRefunds` creates one, `PostRefundsRefund` changes one. */
function actionOfMethod(words: readonly string[]): Action | undefined {
  if (words[0] !== 'post') return undefined
  const [last = '', before = ''] = words.toReversed()
  const isItem = last === 'id' || (before !== last && before.startsWith(last))
  return isItem ? 'change' : 'create'
}

/** How well the action of a tool fits a request whose verb is none of the known ones. */
const UNSAID: Readonly<Record<Action, number>> = {
  create: 0.5,
  change: 0,
  read: -0.5,
  delete: -1.5,
}
/** "Refund a payment" creates a refund. */
const VERB_IS_THING = 1.5

/** Compares an instruction with tools: positive if a tool does what it wants, negative if not. */
export function actionFit(instruction: string): (tool: ToolAction) => number {
  const wanted = actionOfRequest(instruction)
  const verb = inSingular(firstWord(instruction.toLowerCase()))
  return ({ action, thing }) => {
    if (action === undefined) return 0
    if (wanted === undefined)
      return action === 'create' && thing === verb ? VERB_IS_THING : UNSAID[action]
    if (wanted === action) return 1
    // Products differ in whether something new is created, or changes what it belongs to.
    const both = new Set([wanted, action])
    return both.has('create') && both.has('change') ? 0 : -1
  }
}

export interface ToolAction {
  readonly action: Action | undefined
  /** The thing that it deals with, in the singular. */
  readonly thing: string
}

export function toolAction(tool: Tool): ToolAction {
  return { action: actionOfTool(tool), thing: thingsOf(tool).at(-1) ?? '' }
}

/** What follows these words in a name says how or where, not what. */
const JOINS = new Set(['for', 'by', 'from', 'in', 'on', 'with', 'to', 'of', 'using', 'as', 'at'])
const NO_THINGS = new Set([
  ...ACTIONS.keys(),
  ...JOINS,
  'and',
  'or',
  'id',
  'api',
  'v',
  'post',
  'all',
])

/** Returns the words for things in the name of a tool, each once and in the singular. */
export function thingsOf({ name, server }: Pick<Tool, 'name' | 'server'>): string[] {
  const ofServer = new Set(splitIdentifier(server))
  const things = splitIdentifier(name).filter(
    (word) => !ofServer.has(word) && !NO_THINGS.has(word) && !/^\d/.test(word),
  )
  return [...new Set(things.map(inSingular))]
}

/** What follows these words says more about the thing that a request is about. */
const OBJECT_END =
  /\s(?:for|of|in|on|from|with|under|by|to|that|which|who|when|whenever|where|so|at|into|about|inside|because|as|than)\s/i

/** Returns the part of a request that names the thing itself. */
export function objectOf(request: string): string {
  const end = request.search(OBJECT_END)
  return end > 0 ? request.slice(0, end) : request
}

function firstWord(text: string): string {
  return /^[a-z]+/.exec(text)?.[0] ?? ''
}

function inSingular(word: string): string {
  return word.replace(/ies$/, 'y').replace(/(?<=..)(?<![sui])s$/, '')
}
