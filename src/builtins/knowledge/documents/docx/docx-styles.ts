import type { Document, Element } from 'domhandler'
import { attribute, childNamed, findAll } from '../markup/markup.ts'
import { isCodeStyle, isContentsStyle } from '../word-styles.ts'

export interface ParagraphStyle {
  readonly title: boolean
  /** 1 to 6 for headings. */
  readonly level: number | undefined
  readonly code: boolean
  /** Whether it is for a table of contents. */
  readonly contents: boolean
  readonly caption: boolean
  readonly numbering: NumberingRef | undefined
}

export interface NumberingRef {
  readonly id: string
  readonly level: number
}

export type ParagraphStyles = (id: string | undefined) => ParagraphStyle

const PLAIN: ParagraphStyle = {
  title: false,
  level: undefined,
  code: false,
  contents: false,
  caption: false,
  numbering: undefined,
}

/** Reads the paragraph styles; a style inherits from the one it is based on. */
export function docxStyles(root: Document | undefined): ParagraphStyles {
  const elements = new Map(
    (root ? findAll(root, 'style') : []).map((style) => [attribute(style, 'styleId') ?? '', style]),
  )

  function resolve(id: string | undefined, hops = 0): ParagraphStyle {
    if (id === undefined || hops > 16) return PLAIN
    const element = elements.get(id)
    if (!element) return fromName(id, PLAIN)
    const base = resolve(attribute(childNamed(element, 'basedOn'), 'val'), hops + 1)
    const properties = childNamed(element, 'pPr')
    const named = fromName(attribute(childNamed(element, 'name'), 'val') ?? id, base)
    return {
      ...named,
      level: outlineLevel(properties) ?? named.level,
      numbering: numberingRef(properties) ?? named.numbering,
    }
  }

  return (id) => resolve(id)
}

export function numberingRef(properties: Element | undefined): NumberingRef | undefined {
  const reference = properties && childNamed(properties, 'numPr')
  const id = reference && attribute(childNamed(reference, 'numId'), 'val')
  if (!reference || id === undefined) return undefined
  return { id, level: Number(attribute(childNamed(reference, 'ilvl'), 'val') ?? 0) }
}

export function outlineLevel(properties: Element | undefined): number | undefined {
  const value = properties && attribute(childNamed(properties, 'outlineLvl'), 'val')
  const level = value === undefined ? Number.NaN : Number(value) + 1
  return level >= 1 && level <= 9 ? Math.min(level, 6) : undefined
}

function fromName(name: string, base: ParagraphStyle): ParagraphStyle {
  const heading = /^(?:heading|überschrift|titre)\s?([1-9])$/i.exec(name)
  return {
    title: /^title$/i.test(name) || base.title,
    level: heading ? Math.min(Number(heading[1]), 6) : base.level,
    code: isCodeStyle(name) || base.code,
    contents: isContentsStyle(name) || base.contents,
    caption: /^caption$/i.test(name) || base.caption,
    numbering: base.numbering,
  }
}
