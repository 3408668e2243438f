import { type Document, type Element, type ParentNode, isTag } from 'domhandler'
import { decodeText } from '../decode-text.ts'
import type { KnowledgeDocument, RawDocument } from '../document.ts'
import { htmlBlocks } from './html-blocks.ts'
import { findAll, findFirst, innerText, nodesOf } from '../markup/markup.ts'
import { parseMarkup } from '../markup/parse-markup.ts'
import { titleOf } from '../title-from-name.ts'

export async function readHtml({ name, bytes }: RawDocument): Promise<KnowledgeDocument> {
  const text = decodeText(bytes)
  const root = await parseMarkup(text, { recognizeSelfClosing: XHTML.test(text.slice(0, HEAD)) })
  const main = htmlBlocks(mainPart(root), { isFurniture })
  const blocks = main.length > 0 ? main : htmlBlocks(root, { isFurniture: () => false })
  const title = findFirst(root, 'title')
  return {
    title: titleOf(name, blocks, title && innerText(title)),
    blocks,
    properties: metaProperties(root),
    links: linksOf(root, name),
  }
}

/** Returns the links of a page as they are written, or resolved if the page names their base. */
function linksOf(root: Document, name: string): string[] {
  const links = findAll(root, 'a').flatMap(({ attribs }) => attribs['href'] ?? [])
  const named = findFirst(root, 'base')?.attribs['href']
  const page = URL.canParse(name) ? name : undefined
  const base = named && URL.canParse(named, page) ? new URL(named, page).href : undefined
  const resolved = (link: string) => (URL.canParse(link, base) ? new URL(link, base).href : link)
  return links.filter(Boolean).map((link) => (base ? resolved(link) : link))
}

/** Matches the start of a page that is written as XML. */
const XHTML = /^\s*<\?xml\b|<html\b[^>]*\bxmlns=["']http:\/\/www\.w3\.org\/1999\/xhtml["']/i
const HEAD = 2_000

/** Returns the part of a page that is marked as its main content, to skip menus and footers. */
function mainPart(root: Document): ParentNode {
  let article: Element | undefined
  let articles = 0
  for (const element of nodesOf(root)) {
    if (!isTag(element)) continue
    if (roleOf(element) === 'main') return element
    if (element.name !== 'article') continue
    article ??= element
    articles += 1
  }
  // Several articles are entries of a list, so none of them is the main content.
  return (articles === 1 ? article : undefined) ?? findFirst(root, 'body') ?? root
}

const MENUS = new Set(['navigation', 'search', 'button', 'dialog'])
const AROUND = new Set(['contentinfo', 'complementary', 'form', 'banner'])
/** The roles of elements that have no `role` attribute. */
const ROLES: Readonly<Record<string, string>> = {
  nav: 'navigation',
  footer: 'contentinfo',
  aside: 'complementary',
}

function roleOf({ name, attribs }: Element): string {
  return attribs['role'] ?? ROLES[name] ?? name
}

/** Whether an element is hidden, a menu, or an aside, form or footer outside the text. */
function isFurniture(element: Element): boolean {
  if ('hidden' in element.attribs || MENUS.has(roleOf(element)) || isMenu(element)) return true
  return AROUND.has(roleOf(element)) && !isInsideText(element)
}

/** Whether an element holds the links to other pages that DocBook, Doxygen and Texinfo add. */
function isMenu(element: Element): boolean {
  const names = element.attribs['class']?.split(/\s+/) ?? []
  if (names.some((name) => MENU_CLASSES.has(name))) return true
  return names.includes('header') && PAGES_AROUND.has(findFirst(element, 'a')?.attribs['rel'] ?? '')
}

const MENU_CLASSES = new Set(['navheader', 'navfooter', 'navpath', 'nav-panel'])
const PAGES_AROUND = new Set(['next', 'prev', 'up'])

function isInsideText({ parent }: Element): boolean {
  for (let above = parent; above && isTag(above); above = above.parent) {
    if (['main', 'article', 'section'].includes(roleOf(above))) return true
  }
  return false
}

function metaProperties(root: Document): Record<string, string> {
  const known = new Set(['author', 'description', 'keywords', 'robots'])
  return Object.fromEntries(
    findAll(root, 'meta').flatMap(({ attribs }) => {
      const key = attribs['name']?.toLowerCase()
      return key && known.has(key) && attribs['content'] ? [[key, attribs['content']]] : []
    }),
  )
}
