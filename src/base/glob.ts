type Step = 'star' | ((char: string) => boolean)

/**
 * A glob over names: `*`, `?`, `[seq]`, `[!seq]`; case counts. Agents may send patterns too, so
 * matching backs up to the last `*` only and costs at most pattern × name.
 */
export function compilePattern(pattern: string): (name: string) => boolean {
  if (!isGlob(pattern)) return (name) => name === pattern
  const steps = parse(pattern)
  return (name) => matches(steps, name)
}

export function isGlob(pattern: string): boolean {
  return /[*?[]/.test(pattern)
}

/** Patterns of one rule, in its order. */
export interface PatternList {
  /** The index of the pattern that is this very name, or -1. */
  exact(name: string): number
  /** The index of the first wildcard pattern that matches, or -1. */
  wildcard(name: string): number
}

export function compilePatterns(patterns: readonly string[]): PatternList {
  const tests = patterns.map((pattern) => (isGlob(pattern) ? compilePattern(pattern) : undefined))
  return {
    exact: (name) => patterns.indexOf(name),
    wildcard: (name) => tests.findIndex((test) => test?.(name)),
  }
}

function parse(pattern: string): Step[] {
  const steps: Step[] = []
  const chars = Array.from(pattern)
  for (let i = 0; i < chars.length; i++) {
    const char = chars[i]
    // A `]` right after the opening, or after `!`, belongs to the set; an unclosed `[` is itself.
    const close = char === '[' ? chars.indexOf(']', chars[i + 1] === '!' ? i + 3 : i + 2) : -1
    if (char === '*') steps.push('star')
    else if (char === '?') steps.push(() => true)
    else if (close === -1) steps.push((other) => other === char)
    else {
      steps.push(parseSet(chars.slice(i + 1, close)))
      i = close
    }
  }
  return steps
}

function parseSet(body: readonly string[]): (char: string) => boolean {
  const negated = body[0] === '!'
  const members = negated ? body.slice(1) : body
  const ranges: (readonly [from: string, to: string])[] = []
  for (let i = 0; i < members.length; i++) {
    const from = members[i] ?? ''
    const to = members[i + 1] === '-' ? members[i + 2] : undefined
    ranges.push([from, to ?? from])
    if (to !== undefined) i += 2
  }
  return (char) => ranges.some(([from, to]) => from <= char && char <= to) !== negated
}

function matches(steps: readonly Step[], name: string): boolean {
  const chars = Array.from(name)
  let step = 0
  let at = 0
  let star = -1
  let starAt = 0
  while (at < chars.length) {
    const current = steps[step]
    if (current === 'star') {
      star = step++
      starAt = at
    } else if (current?.(chars[at] ?? '')) {
      step++
      at++
    } else if (star === -1) return false
    else {
      step = star + 1
      at = ++starAt
    }
  }
  while (steps[step] === 'star') step++
  return step === steps.length
}
