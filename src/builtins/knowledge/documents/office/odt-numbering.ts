import type { Document, Element } from 'domhandler'
import { type ListLevel, ListNumbers } from '../list-numbers.ts'
import { childElements, findAll, findFirst, localName } from '../markup/markup.ts'

const FORMATS: Readonly<Record<string, string>> = {
  '1': 'decimal',
  a: 'lowerLetter',
  A: 'upperLetter',
  i: 'lowerRoman',
  I: 'upperRoman',
}

/** The labels that an OpenDocument text shows: they are not in its text, only their styles are. */
export class OdtNumbering {
  readonly #outline: ListNumbers | undefined
  readonly #lists: ReadonlyMap<string, ListNumbers>
  /** The styles of paragraphs that take their headings out of the numbering. */
  readonly #unnumbered: ReadonlySet<string>

  constructor(parts: readonly Document[]) {
    const outline = parts.map((part) => findFirst(part, 'outline-style')).find(Boolean)
    this.#outline = outline && numbersOf(outline)
    const styles = parts.flatMap((part) => findAll(part, 'list-style'))
    this.#lists = new Map(
      styles.map((style) => [style.attribs['style:name'] ?? '', numbersOf(style)]),
    )
    this.#unnumbered = new Set(
      parts
        .flatMap((part) => findAll(part, 'style'))
        .filter(({ attribs }) => attribs['style:list-style-name'] === '')
        .map(({ attribs }) => attribs['style:name'] ?? ''),
    )
  }

  /** Returns the label of a heading that is in no list. */
  heading({ attribs }: Element, level: number): string {
    const isPlain =
      attribs['text:is-list-header'] === 'true' ||
      this.#unnumbered.has(attribs['text:style-name'] ?? '')
    return isPlain ? '' : (this.#outline?.next(level - 1, startOf(attribs)) ?? '')
  }

  /** Starts a list of a style, unless it goes on with the numbers of an earlier one. */
  begin(style: string, { attribs }: Element): void {
    const goesOn =
      attribs['text:continue-numbering'] === 'true' || attribs['text:continue-list'] !== undefined
    if (!goesOn) this.#lists.get(style)?.restart()
  }

  /** Returns the label of an item; a bullet if the style of its list is not known. */
  item(style: string, level: number, { attribs }: Element): string {
    return this.#lists.get(style)?.next(level, startOf(attribs)) ?? '-'
  }
}

function startOf(attribs: Element['attribs']): number | undefined {
  const start = attribs['text:start-value']
  return start === undefined ? undefined : Number(start)
}

function numbersOf(style: Element): ListNumbers {
  const levels: ListLevel[] = []
  for (const element of childElements(style)) {
    const { attribs } = element
    const isNumber = /^(?:outline-level-style|list-level-style-number)$/.test(localName(element))
    const format = isNumber ? (FORMATS[attribs['style:num-format'] ?? ''] ?? 'none') : 'bullet'
    const shown = Number(attribs['text:display-levels'] ?? 1)
    const digits = [...levels, { format }]
      .map((level, at) => (level.format === 'none' ? '' : `%${at + 1}`))
      .slice(-shown)
    const text = `${attribs['style:num-prefix'] ?? ''}${digits.filter(Boolean).join('.')}${attribs['style:num-suffix'] ?? ''}`
    levels.push({
      start: Number(attribs['text:start-value'] ?? 1),
      format,
      text: format === 'none' ? '' : text,
    })
  }
  return new ListNumbers(levels)
}
