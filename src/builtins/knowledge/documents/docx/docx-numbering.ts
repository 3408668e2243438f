import type { Document, Element } from 'domhandler'
import type { NumberingRef } from './docx-styles.ts'
import { type ListLevel, ListNumbers } from '../list-numbers.ts'
import { attribute, childNamed, childrenNamed, findAll } from '../markup/markup.ts'

/** Counts as Word does and returns the label of a paragraph: "4.2.1", "a)", or "-" for a bullet. */
export type Numbering = (reference: NumberingRef) => string

export function docxNumbering(root: Document | undefined): Numbering {
  const abstracts = new Map(
    (root ? findAll(root, 'abstractNum') : []).map((element) => [
      attribute(element, 'abstractNumId') ?? '',
      new ListNumbers(childrenNamed(element, 'lvl').map(toLevel)),
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

  return ({ id, level }) => {
    const { abstract = '', restarts } = lists.get(id) ?? {}
    const number = restarts?.get(level)
    restarts?.delete(level)
    return abstracts.get(abstract)?.next(level, number) ?? ''
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

function toLevel(element: Element): ListLevel {
  return {
    start: Number(attribute(childNamed(element, 'start'), 'val') ?? 1),
    format: attribute(childNamed(element, 'numFmt'), 'val') ?? 'decimal',
    text: attribute(childNamed(element, 'lvlText'), 'val') ?? '%1.',
  }
}
