import { isUtf8 } from 'node:buffer'
import { setTimeout as sleep } from 'node:timers/promises'
import { DocumentError } from '../documents/document-error.ts'
import { decodeText } from '../documents/text/decode-text.ts'
import { formatOfMediaType, formatOfName } from '../documents/read-document.ts'
import { type FetchOptions, type Fetched, type Validators, fetchUrl } from './fetch-url.ts'
import { type Robots, readRobots } from './robots.ts'
import type { LoadedItem, SourceItem } from './source-item.ts'
import { type Selection, compileSelection } from './walk-folder.ts'

export interface CrawlOptions extends Selection {
  /** 0: only the page itself; 1: also the pages it links to; … */
  readonly depth: number
  readonly maxPages: number
  readonly respectRobots: boolean
  readonly fetch: FetchOptions
}

const MAX_DELAY_SECONDS = 10
/** The longest URL that a sitemap may contain; pages for people have no longer one. */
const LONGEST_LINK = 2048

/** Returns a web page as a source item; robots.txt is checked before the page is loaded. */
export function pageItem(address: string, options: CrawlOptions): SourceItem {
  return {
    location: pageLocation(address),
    sourceType: 'web',
    load: async (known) => loadPage(address, options, known),
  }
}

/** What an earlier crawl stored about a page. */
export interface KnownPage extends Validators {
  readonly links: readonly string[]
}

export interface CrawlMemory {
  /** Returns the links of a page that was just loaded. */
  linksOf(item: LoadedItem): Promise<readonly string[]>
  known(location: string): Promise<KnownPage | undefined>
}

/** Crawls the pages of one site breadth first, within depth, patterns and robots.txt. */
export async function* crawl(
  start: string,
  options: CrawlOptions,
  memory: CrawlMemory,
): AsyncGenerator<SourceItem> {
  const { origin } = new URL(start)
  const isSelected = compileSelection(options)
  const robots = options.respectRobots ? await readRobots(origin, options.fetch) : undefined
  const seen = new Set([pageLocation(start)])
  let level = [pageLocation(start)]
  let pages = 0
  for (let depth = 0; depth <= options.depth && level.length > 0; depth++) {
    const next: string[] = []
    for (const address of level) {
      if (pages >= options.maxPages) return
      if (pages > 0 && robots) await sleep(Math.min(robots.crawlDelay, MAX_DELAY_SECONDS) * 1000)
      pages += 1
      const { item, links } = await visit(address, { ...options, robots }, memory)
      yield item
      next.push(...newLinks(links, address, isSelected, seen))
    }
    level = next
  }
}

/** Loads a page, or finds that it is unchanged; returns its links in both cases. */
async function visit(
  address: string,
  options: CrawlOptions & { readonly robots: Robots | undefined },
  memory: CrawlMemory,
): Promise<{ item: SourceItem; links: readonly string[] }> {
  const known = await memory.known(address)
  const loaded = await attempt(async () => loadPage(address, options, known))
  const item: SourceItem = {
    location: address,
    sourceType: 'web',
    load: async () => settled(loaded),
  }
  if ('error' in loaded) return { item, links: [] }
  if (loaded.value === 'unchanged') return { item, links: known?.links ?? [] }
  return { item, links: await memory.linksOf(loaded.value) }
}

function newLinks(
  links: readonly string[],
  page: string,
  isSelected: (path: string) => boolean,
  seen: Set<string>,
): string[] {
  const { origin } = new URL(page)
  const found: string[] = []
  for (const link of links) {
    const address = resolveLink(link, page, origin)
    if (!address || seen.has(address) || !isSelected(new URL(address).pathname)) continue
    seen.add(address)
    found.push(address)
  }
  return found
}

type Attempt<Value> = { readonly value: Value } | { readonly error: unknown }

/** Catches the error of a page, so that it fails as a document and the crawl goes on. */
async function attempt<Value>(work: () => Promise<Value>): Promise<Attempt<Value>> {
  try {
    return { value: await work() }
  } catch (error) {
    return { error }
  }
}

function settled<Value>(result: Attempt<Value>): Value {
  if ('error' in result) throw result.error
  return result.value
}

async function loadPage(
  address: string,
  options: CrawlOptions & { readonly robots?: Robots | undefined },
  known: Validators = {},
): Promise<LoadedItem | 'unchanged'> {
  const { origin } = new URL(address)
  const robots =
    options.robots ?? (options.respectRobots ? await readRobots(origin, options.fetch) : undefined)
  if (robots && !robots.isAllowed(address)) {
    throw new DocumentError(
      'blocked',
      `robots.txt of ${origin} does not allow ${address}`,
      'Ask the owner of the site, or ingest a copy you are allowed to use.',
    )
  }
  const page = await fetchUrl(address, options.fetch, known)
  return page.status === 304 ? 'unchanged' : toLoaded(address, page)
}

function toLoaded(address: string, page: Fetched): LoadedItem {
  if (page.status !== 200) {
    const gone = page.status === 404 || page.status === 410
    throw new DocumentError(
      gone ? 'not_found' : 'unreachable',
      `${address} answered ${page.status}`,
      'Check the address in a browser.',
    )
  }
  const format = formatOfMediaType(page.mediaType) ?? formatOfName(page.url)
  // Markdown is often served as plain text, so the name decides.
  const named = format === 'text' ? (formatOfName(page.url) ?? format) : format
  return {
    name: page.url,
    bytes: /^text\/|xhtml/i.test(page.mediaType) ? inUtf8(page) : page.bytes,
    format: named,
    etag: page.etag,
    lastModified: page.lastModified,
  }
}

/** Converts text to UTF-8 here, because the readers do not see the header with its encoding. */
function inUtf8({ bytes, mediaType }: Fetched): Uint8Array {
  return isUtf8(bytes) ? bytes : Buffer.from(decodeText(bytes, mediaType))
}

function resolveLink(link: string, base: string, origin: string): string | undefined {
  if (link.length > LONGEST_LINK || !URL.canParse(link, base)) return undefined
  const url = new URL(link, base)
  return url.origin === origin ? pageLocation(url.href) : undefined
}

function pageLocation(address: string): string {
  return address.replace(/#.*$/, '')
}
