const MIN_WORD_LENGTH = 3

/**
 * Returns the lines of a hit that match most of what was asked, counted from 0: the text or the
 * pattern itself, or the most of the words, in whatever case and notation.
 */
export function matchingLines(text: string, asked: string, mode: string): ReadonlySet<number> {
  const scoreOf = scorer(asked, mode)
  const scores = text.split('\n').map(scoreOf)
  const best = Math.max(...scores)
  return new Set(best > 0 ? scores.flatMap((score, n) => (score === best ? [n] : [])) : [])
}

function scorer(asked: string, mode: string): (line: string) => number {
  if (mode === 'exact') return (line) => (line.includes(asked) ? 1 : 0)
  if (mode === 'regex') {
    const pattern = toPattern(asked)
    return (line) => (pattern?.test(line) ? 1 : 0)
  }
  const words = [...new Set(wordsOf(asked))]
  return (line) => {
    const lower = line.toLowerCase()
    return words.filter((word) => lower.includes(word)).length
  }
}

function toPattern(source: string): RegExp | undefined {
  try {
    return new RegExp(source)
  } catch {
    return undefined
  }
}

/** Splits `totalPrice` and `total_price` too: a line may write the same words in another way. */
function wordsOf(text: string): string[] {
  return text
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word.length >= MIN_WORD_LENGTH)
}
