import { getOrMake } from '../../base/maps.ts'
import { SPANS, SPAN_NAMES, type SpanName } from './spans.ts'
import { type Usage, addTo, summarise } from './usage.ts'
import { COUNTS, type UsageKind, type UsageRow } from './usage-counts.ts'

/** Callers choose names: those past this, within a step, are counted together as `other`. */
const MAX_NAMES = 600

type Names = Map<string, number[]>
type Step = Partial<Record<UsageKind, Names>>

/** Adds up calls in steps of time; what it keeps does not grow with their number. */
export class UsageTally {
  readonly #spans = new Map<SpanName, Map<number, Step>>(
    SPAN_NAMES.map((span) => [span, new Map()]),
  )

  add(rows: readonly UsageRow[]): void {
    for (const { span, at, kind, name, counts } of rows) {
      const step = getOrMake(this.#spans.get(span) ?? new Map<number, Step>(), at, () => ({}))
      const names = (step[kind] ??= new Map())
      const counted =
        names.size < MAX_NAMES || names.has(name) || kind === 'latency' ? name : 'other'
      const sums = getOrMake(names, counted, () => COUNTS.map(() => 0))
      addTo(sums, counts)
    }
  }

  read(span: SpanName, now: number, share: number): Usage {
    this.#forget(now)
    const sinceMs = Math.min(...(this.#spans.get('30d') ?? new Map<number, Step>()).keys())
    return summarise(this.#rows(span), span, {
      now,
      share,
      sinceMs: Number.isFinite(sinceMs) ? sinceMs : null,
    })
  }

  *#rows(span: SpanName): Generator<UsageRow> {
    for (const [at, step] of this.#spans.get(span) ?? [])
      for (const [kind, names] of entries(step))
        for (const [name, sums] of names) yield { span, at, kind, name, counts: sums }
  }

  #forget(now: number): void {
    for (const [span, steps] of this.#spans)
      for (const at of steps.keys())
        if (now - at > SPANS[span].keepMs + SPANS[span].stepMs) steps.delete(at)
  }
}

function entries(step: Step): [UsageKind, Names][] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.entries(step) as [UsageKind, Names][]
}
