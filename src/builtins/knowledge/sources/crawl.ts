import { isUtf8 } from 'node:buffer'
import { setTimeout as sleep } from 'node:timers/promises'
import { DocumentError } from '../documents/document-error.ts'
import { decodeText } from '../documents/decode-text.ts'
import { formatOfMediaType, formatOfName } from '../documents/formats.ts'
import { type FetchOptions, type Fetched, type Validators, fetchUrl } from './fetch-url.ts'
import { type Robots, readRobots } from './robots.ts'
import type { LoadedItem, SourceItem } from './source-item.ts'
import { type Selection, compileSelection } from './walk-folder.ts'

export interface CrawlOptions extends Selection {
  /** 0: only the page itself; 1: also the pages it links to; … */
  readonly depth: number
  readonly maxPages: number
  readonly fetch: FetchOptions
}

const MAX_DELAY_SECONDS = 10
/** The longest URL that a sitemap may contain; pages for people have no longer one. */
const MAX_LINK_LENGTH = 2048

/** Returns a web page as a source item; robots.txt is checked before the page is loaded. */
export function pageItem(address: string, options: CrawlOptions): SourceItem {
  return {
    location: pageLocation(address),
    sourceType: 'web',
    load: async (known) => toLoaded(address, await fetchPage(address, options, known)),
  }
}

/** What an earlier crawl stored about a page. */
interface KnownPage extends Validators {
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
  const site: Site = new Map()
  await addOrigin(site, start, options)
  const isSelected = compileSelection(options)
  const seen = new Set([pageLocation(start)])
  let level = [pageLocation(start)]
  let pages = 0
  for (let depth = 0; depth <= options.depth && level.length > 0; depth++) {
    const next: string[] = []
    for (const address of level) {
      if (pages >= options.maxPages) return
      const robots = site.get(new URL(address).origin)
      if (pages > 0 && robots) await sleep(Math.min(robots.crawlDelay, MAX_DELAY_SECONDS) * 1000)
      pages += 1
      const { item, url, links } = await visit(address, { ...options, robots }, memory)
      yield item
      // A site that has moved is crawled where it is now.
      if (pages === 1) await addOrigin(site, url, options)
      seen.add(pageLocation(url))
      next.push(...newLinks(links, url, { site, isSelected, seen }))
    }
    level = next
  }
}

/** The origins that belong to the site, with their robots.txt. */
type Site = Map<string, Robots>

async function addOrigin(site: Site, address: string, options: CrawlOptions): Promise<void> {
  const { origin } = new URL(address)
  if (!site.has(origin)) site.set(origin, await readRobots(origin, options.fetch))
}

/**
 * Loads a page, or finds that it is unchanged; returns its links in both cases, and the URL after
 * redirects that they are relative to.
 */
async function visit(
  address: string,
  options: CrawlOptions & { readonly robots: Robots | undefined },
  memory: CrawlMemory,
): Promise<{ item: SourceItem; url: string; links: readonly string[] }> {
  const known = await memory.known(address)
  const fetching = fetchPage(address, options, known)
  const loading = fetching.then((page) => toLoaded(address, page))
  // A page that cannot be loaded fails as a document, and the crawl goes on.
  const item: SourceItem = { location: address, sourceType: 'web', load: async () => loading }
  const loaded = await loading.catch(() => undefined)
  const { url } = await fetching.catch(() => ({ url: address }))
  if (!loaded) return { item, url, links: [] }
  if (loaded === 'unchanged') return { item, url, links: known?.links ?? [] }
  return { item, url, links: await memory.linksOf(loaded) }
}

function newLinks(
  links: readonly string[],
  page: string,
  {
    site,
    isSelected,
    seen,
  }: { site: Site; isSelected: (path: string) => boolean; seen: Set<string> },
): string[] {
  const found: string[] = []
  for (const link of links) {
    const address = resolveLink(link, page, site)
    if (!address || seen.has(address) || !isSelected(new URL(address).pathname)) continue
    seen.add(address)
    found.push(address)
  }
  return found
}

async function fetchPage(
  address: string,
  options: CrawlOptions & { readonly robots?: Robots | undefined },
  known: Validators = {},
): Promise<Fetched> {
  const { origin } = new URL(address)
  const robots = options.robots ?? (await readRobots(origin, options.fetch))
  if (!robots.isAllowed(address)) {
    throw new DocumentError(
      'blocked',
      `robots.txt of ${origin} does not allow ${address}`,
      'Ask the owner of the site, or ingest a copy you are allowed to use.',
    )
  }
  return fetchUrl(address, options.fetch, known)
}

function toLoaded(address: string, page: Fetched): LoadedItem | 'unchanged' {
  if (page.status === 304) return 'unchanged'
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

function resolveLink(link: string, base: string, site: Site): string | undefined {
  if (link.length > MAX_LINK_LENGTH || !URL.canParse(link, base)) return undefined
  const url = new URL(link, base)
  return site.has(url.origin) ? pageLocation(url.href) : undefined
}

function pageLocation(address: string): string {
  return address.replace(/#.*$/, '')
}
