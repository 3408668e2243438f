import { decodeUri } from '../../../base/text/decode-uri.ts'
import type { Block } from './document.ts'

/** Returns the title that a document gives itself, or its first heading, or one from its name. */
export function titleOf(name: string, blocks: readonly Block[], own?: string): string {
  return own || blocks.find((block) => block.kind === 'heading')?.text || titleFromName(name)
}

/** Makes a title from a path or URL: "docs/brake-control_2.md" gives "brake control 2". */
export function titleFromName(name: string): string {
  const last = withoutQuery(name).replace(/\/+$/, '').split('/').at(-1) ?? name
  return decodeUri(last.replace(/%(?![0-9a-f]{2})/gi, '%25'))
    .replace(/\.[a-z0-9]{1,6}$/i, '')
    .replace(/[_-]+/g, ' ')
    .trim()
}

/** Returns an address without its query and fragment; files may have `?` and `#` in their names. */
export function withoutQuery(name: string): string {
  return /^https?:\/\//i.test(name) ? name.replace(/[?#].*$/, '') : name
}
