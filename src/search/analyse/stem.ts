const VOWEL = /[aeiouy]/
const NOT_ENGLISH = /[^\0-\x7f]/

/** Tried in order, each before its own shorter endings; at least `keep` letters must remain. */
const SUFFIXES: readonly (readonly [suffix: string, keep: number, replacement: string])[] = [
  ['izations', 3, ''],
  ['isations', 3, ''],
  ['ization', 3, ''],
  ['isation', 3, ''],
  ['ations', 4, ''],
  ['ation', 4, ''],
  ['ities', 4, ''],
  ['ments', 4, ''],
  ['izing', 3, ''],
  ['ising', 3, ''],
  ['izers', 3, ''],
  ['ment', 4, ''],
  ['ness', 4, ''],
  ['ized', 3, ''],
  ['ised', 3, ''],
  ['izer', 3, ''],
  ['izes', 3, ''],
  ['ating', 4, ''],
  ['ators', 4, ''],
  ['ator', 4, ''],
  ['ated', 4, ''],
  ['ates', 4, ''],
  ['able', 4, ''],
  ['ible', 4, ''],
  ['ings', 3, ''],
  ['ions', 4, ''],
  ['ity', 4, ''],
  ['ize', 3, ''],
  ['ise', 4, ''],
  ['ate', 4, ''],
  ['ing', 3, ''],
  ['ion', 4, ''],
  ['ies', 2, 'y'],
  ['ers', 4, ''],
  ['ors', 4, ''],
  ['ly', 4, ''],
  ['ed', 3, ''],
  ['er', 4, ''],
  ['or', 4, ''],
  ['es', 3, ''],
]

/**
 * A light English stemmer for identifiers: it only has to map the forms of one word (validate,
 * validator, validation) to one term, which need not be a dictionary word.
 */
export function stem(word: string): string {
  if (word.length < 4 || NOT_ENGLISH.test(word)) return word
  for (const [suffix, keep, replacement] of SUFFIXES) {
    if (!word.endsWith(suffix)) continue
    const base = word.slice(0, -suffix.length)
    if (base.length < keep || !VOWEL.test(base)) continue
    return tidy(base + replacement)
  }
  if (word.endsWith('s') && !word.endsWith('ss') && !word.endsWith('us') && !word.endsWith('is'))
    return tidy(word.slice(0, -1))
  return tidy(word)
}

/** Makes run(n)ing and run, cach(e) and cach(ing) end alike, and a final y equal to i. */
function tidy(base: string): string {
  const last = base.at(-1)
  if (base.length > 3 && last === 'e') return base.slice(0, -1)
  if (base.length > 3 && last === 'y') return `${base.slice(0, -1)}i`
  if (base.length > 3 && last === base.at(-2) && last !== 's' && last !== 'l' && last !== 'z')
    return base.slice(0, -1)
  return base
}
