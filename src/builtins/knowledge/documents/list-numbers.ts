/** A level of a numbered list, as word processors describe it. */
export interface ListLevel {
  readonly start: number
  /** "decimal", "lowerLetter", "upperLetter", "lowerRoman", "upperRoman", "bullet" or "none". */
  readonly format: string
  /** The label, with `%1` for the number of the first level. */
  readonly text: string
}

/** Counts the paragraphs of a list with several levels, as word processors do. */
export class ListNumbers {
  readonly #levels: readonly ListLevel[]
  #counts: readonly number[] = []

  constructor(levels: readonly ListLevel[]) {
    this.#levels = levels
  }

  restart(): void {
    this.#counts = []
  }

  /** Returns the label of the next paragraph at a level: "4.2.1", "a)", or "-" for a bullet. */
  next(level: number, number?: number): string {
    const own = this.#levels[level]
    if (!own) return ''
    this.#count(level, number)
    if (own.format === 'bullet') return '-'
    const text = own.text.replace(/%(\d+)/g, (_, digits: string) => {
      const at = Number(digits) - 1
      return label(this.#counts[at] ?? 1, this.#levels[at]?.format ?? 'decimal')
    })
    return text.trim()
  }

  /** Counts one up at this level; deeper levels start again, skipped ones take their start value. */
  #count(level: number, number: number | undefined): void {
    const start = (at: number) => this.#levels[at]?.start ?? 1
    const above = Array.from({ length: level }, (_, at) => this.#counts[at] ?? start(at))
    this.#counts = [...above, number ?? (this.#counts[level] ?? start(level) - 1) + 1]
  }
}

/** Word counts no further; letters and Roman numerals of any number could be of any length. */
const MAX_COUNTED = 32_767

function label(value: number, format: string): string {
  const isCountable = value >= 1 && value <= MAX_COUNTED
  if (format !== 'none' && !isCountable) return String(value)
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
