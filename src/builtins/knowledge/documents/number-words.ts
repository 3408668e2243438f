const ONES =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')

const WORDS = new Map([
  ...ONES.map((word, value) => [word, value] as const),
  ...TENS.flatMap((word, at) =>
    ONES.slice(0, 10).map(
      (one, value) => [value ? word + one : word, (at + 2) * 10 + value] as const,
    ),
  ),
])

/** "TWENTY-THREE" (or "TWENTYTHREE", as LaTeX has it) is 23; undefined for what is no number below a hundred. */
export function numberOfWords(text: string): number | undefined {
  return WORDS.get(text.toLowerCase().replace(/[\s-]+/g, ''))
}
