import type { MemoryLine } from '../memory/memory.ts'

export interface Saved {
  readonly solved: number
  readonly assisted: number
  readonly contributed: number
  readonly tokens: number
  readonly minutes: number
  readonly dollars: number
}

/** Adds up what the hooks have recorded. */
export function addUp(lines: readonly MemoryLine[], price: number): Saved {
  const sum = (field: 'tokens' | 'minutes') =>
    lines.reduce((total, line) => total + (line.kind === 'saved' ? line[field] : 0), 0)
  const count = (test: (line: MemoryLine) => boolean) => lines.filter(test).length
  const tokens = sum('tokens')
  return {
    solved: count(({ kind }) => kind === 'resolved'),
    assisted: count(({ kind }) => kind === 'saved'),
    contributed: count(({ kind }) => kind === 'contributed'),
    tokens,
    minutes: Math.round(sum('minutes')),
    dollars: Math.round((tokens / 1e6) * price * 100) / 100,
  }
}

export function savedText({
  solved,
  assisted,
  contributed,
  tokens,
  minutes,
  dollars,
}: Saved): string {
  return [
    `${solved} errors solved, ${assisted} with help`,
    `${tokens.toLocaleString('en')} tokens ($${dollars.toFixed(2)}) and ${minutes} minutes saved`,
    `${contributed} traces shared`,
  ].join('; ')
}

/** Summarises one month in a sentence; nothing if nothing happened. */
export function recapOf(
  lines: readonly MemoryLine[],
  { month, price }: { month: string; price: number },
): string | undefined {
  const own = lines.filter(({ at }) => new Date(at).toISOString().startsWith(month))
  const saved = addUp(own, price)
  if (saved.solved + saved.assisted + saved.contributed === 0) return undefined
  return `Compiled ${month}: ${savedText(saved)}.`
}

/** `2026-01` → `2025-12`. */
export function monthBefore(month: string): string {
  const first = new Date(`${month}-01T00:00:00Z`)
  return new Date(first.getTime() - 1).toISOString().slice(0, 7)
}
