import type { AcceptedLists } from '../../gateway/tools/accepted.ts'
import { type Effect, effectOf, wordsOf } from '../../gateway/tools/effect.ts'
import type { JsonObject } from '../../base/json/json.ts'

/** What a tool may do that a person wants to know before it does so for the first time. */
export type ToolKind = Exclude<Effect, 'read'> | 'run' | 'send' | 'pay'

export const DOES: Readonly<Record<ToolKind, string>> = {
  write: 'writes',
  delete: 'deletes',
  run: 'runs programs',
  send: 'sends something',
  pay: 'moves money',
}

const toWords = (text: string) => new Set(text.split(' '))
const NAMED: readonly (readonly [ToolKind, ReadonlySet<string>])[] = [
  [
    'run',
    toWords('exec execute shell bash powershell terminal eval evaluate spawn ssh command run'),
  ],
  ['send', toWords('send email mail post publish upload share notify forward sms tweet reply')],
  ['pay', toWords('pay payment payout transfer purchase buy charge refund withdraw checkout')],
]

/** Returns the kinds of things that a tool does, by its annotations and its name; none if it reads. */
export function kindsOf(definition: JsonObject): ToolKind[] {
  const name = String(definition['name'])
  const effect = effectOf({ name, definition })
  if (effect === 'read') return []
  const words = wordsOf(name)
  return [
    effect,
    ...NAMED.flatMap(([kind, known]) => (words.some((w) => known.has(w)) ? kind : [])),
  ]
}

/** Returns the kinds of things that the accepted tools of a server do. */
export function kindsIn({ tools }: AcceptedLists): ReadonlySet<ToolKind> {
  return new Set(Object.values(tools).flatMap(({ definition }) => kindsOf(definition)))
}
