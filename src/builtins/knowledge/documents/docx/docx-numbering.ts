import type { Document, Element } from 'domhandler'
import type { NumberingRef } from './docx-styles.ts'
import { attribute, childNamed, childrenNamed, findAll } from '../markup.ts'

interface Level {
  readonly start: number
  readonly format: string
  readonly text: string
}

/** Counts as Word does and returns the label of a paragraph: "4.2.1", "a)", or "-" for a bullet. */
export type Numbering = (reference: NumberingRef) => string

export function docxNumbering(root: Document | undefined): Numbering {
  const abstracts = new Map(
    (root ? findAll(root, 'abstractNum') : []).map((element) => [
      attribute(element, 'abstractNumId') ?? '',
      childrenNamed(element, 'lvl').map(toLevel),
    ]),
  )
  const lists = new Map(
    (root ? findAll(root, 'num') : []).map((element) => [
      attribute(element, 'numId') ?? '',
      {
        abstract: attribute(childNamed(element, 'abstractNumId'), 'val') ?? '',
        restarts: restartsOf(element),
      },
    ]),
  )
  const counters = new Map<string, number[]>()

  return ({ id, level }) => {
    const { abstract = '', restarts } = lists.get(id) ?? {}
    const levels = abstracts.get(abstract) ?? []
    const own = levels[level]
    if (!own) return ''
    const restart = restarts?.get(level)
    restarts?.delete(level)
    const counts = counted(counters.get(abstract) ?? [], level, levels, restart)
    counters.set(abstract, counts)
    if (own.format === 'bullet') return '-'
    return own.text.replace(/%(\d)/g, (_, digit: string) => {
      const at = Number(digit) - 1
      return label(counts[at] ?? 1, levels[at]?.format ?? 'decimal')
    })
  }
}

/** Returns the numbers at which the first paragraph of each level of a list starts again. */
function restartsOf(list: Element): Map<number, number> {
  return new Map(
    childrenNamed(list, 'lvlOverride').flatMap((override) => {
      const start = attribute(childNamed(override, 'startOverride'), 'val')
      const level = Number(attribute(override, 'ilvl') ?? 0)
      return start === undefined ? [] : [[level, Number(start)] as const]
    }),
  )
}

/** Counts one up at this level; deeper levels start again, skipped ones take their start value. */
function counted(
  before: readonly number[],
  level: number,
  levels: readonly Level[],
  restart: number | undefined,
): number[] {
  const start = (at: number) => levels[at]?.start ?? 1
  const counts = Array.from({ length: level }, (_, at) => before[at] ?? start(at))
  return [...counts, restart ?? (before[level] ?? start(level) - 1) + 1]
}

function toLevel(element: Element): Level {
  return {
    start: Number(attribute(childNamed(element, 'start'), 'val') ?? 1),
    format: attribute(childNamed(element, 'numFmt'), 'val') ?? 'decimal',
    text: attribute(childNamed(element, 'lvlText'), 'val') ?? '%1.',
  }
}

function label(value: number, format: string): string {
  if (format === 'upperLetter') return letters(value)
  if (format === 'lowerLetter') return letters(value).toLowerCase()
  if (format === 'upperRoman') return roman(value)
  if (format === 'lowerRoman') return roman(value).toLowerCase()
  return format === 'none' ? '' : String(value)
}

/** A … Z, then AA, BB …, as Word does. */
function letters(value: number): string {
  const index = (value - 1) % 26
  return String.fromCodePoint(65 + index).repeat(Math.floor((value - 1) / 26) + 1)
}

function roman(value: number): string {
  const steps: readonly [number, string][] = [
    [1000, 'M'],
    [900, 'CM'],
    [500, 'D'],
    [400, 'CD'],
    [100, 'C'],
    [90, 'XC'],
    [50, 'L'],
    [40, 'XL'],
    [10, 'X'],
    [9, 'IX'],
    [5, 'V'],
    [4, 'IV'],
    [1, 'I'],
  ]
  let rest = value
  let text = ''
  for (const [size, sign] of steps) {
    text += sign.repeat(Math.floor(rest / size))
    rest %= size
  }
  return text
}
