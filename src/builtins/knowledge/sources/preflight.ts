import { formatOfMediaType, formatOfName } from '../documents/formats.ts'
import { toKnowledgeError } from '../knowledge-error.ts'
import { type FetchOptions, fetchUrl } from './fetch-url.ts'
import { checkUrl } from './guard-address.ts'
import { readRobots } from './robots.ts'

export interface Preflight {
  readonly url: string
  readonly accessible: boolean
  readonly robots_checked: boolean
  readonly robots_allowed: boolean | null
  readonly status: number | null
  readonly content_type: string | null
  readonly error: string | null
  /** What to do about the error. */
  readonly suggestion?: string
}

/** Checks robots.txt, then fetches the page; stores nothing. */
export async function preflight(
  url: string,
  options: FetchOptions,
  checkRobots: boolean,
): Promise<Preflight> {
  const nothing = {
    url,
    accessible: false,
    robots_checked: false,
    robots_allowed: null,
    status: null,
    content_type: null,
  }
  try {
    const { origin } = checkUrl(url, options)
    const robots = checkRobots ? await readRobots(origin, options) : undefined
    const allowed = robots ? robots.isAllowed(url) : null
    const known = { ...nothing, robots_checked: robots !== undefined, robots_allowed: allowed }
    if (allowed === false) return { ...known, error: `robots.txt of ${origin} does not allow it` }
    const page = await fetchUrl(url, options)
    const readable = formatOfMediaType(page.mediaType) ?? formatOfName(page.url)
    const error = problem(page.status, readable !== undefined, page.mediaType)
    return {
      ...known,
      accessible: error === null,
      status: page.status,
      content_type: page.mediaType || null,
      error,
    }
  } catch (error) {
    const { message, suggestion } = toKnowledgeError(error)
    return { ...nothing, error: message, suggestion }
  }
}

function problem(status: number, readable: boolean, mediaType: string): string | null {
  if (status !== 200) return `The page answered ${status}`
  return readable ? null : `No reader for ${mediaType || 'a page without a media type'}`
}
