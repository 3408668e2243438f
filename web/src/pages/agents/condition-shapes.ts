/** The common conditions on one argument. */
export const SHAPES = [
  { value: 'within', name: 'A path below a folder', schema: { within: '/srv/data' } },
  { value: 'host', name: 'A URL on a host', schema: { host: 'api.example.com' } },
  { value: 'enum', name: 'One of some values', schema: { enum: ['one', 'two'] } },
  {
    value: 'pattern',
    name: 'A text with a pattern',
    schema: { type: 'string', pattern: '^docs/' },
  },
  { value: 'maximum', name: 'A number up to a limit', schema: { type: 'number', maximum: 100 } },
] as const

/** Makes the condition that an argument is given and is of a shape. */
export function conditionOf({ schema }: (typeof SHAPES)[number], name: string): object {
  const argument = name.trim() === '' ? 'argument' : name.trim()
  return { properties: { [argument]: schema }, required: [argument] }
}
