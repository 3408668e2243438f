import { realpath } from 'node:fs/promises'
import { dirname, relative, resolve } from 'node:path'
import { type JsonObject, isObject } from '../../../base/json/json.ts'
import { decodeUri } from '../../../base/text/decode-uri.ts'
import { isUrl, parseSpec, readSpec, specPath } from './read-spec.ts'
import { SpecError } from './spec-error.ts'

/** The most documents; the description of DigitalOcean has 2,900. */
const MAX_DOCUMENTS = 10_000
const HOLDER = 'x-portolan-documents'
/** Matches pages and code samples of documentation, which are not descriptions. */
const NO_DESCRIPTION = /\.(?!json$|ya?ml$)[a-z]{1,10}$/i

/**
 * Brings the documents that `$ref`s point to into the root, so that every reference is local.
 * Only files below the folder of the description, or URLs on its own origin, are ever read.
 */
export async function bundleRefs(
  root: JsonObject,
  source: string,
  allowPrivate: boolean,
): Promise<JsonObject> {
  const base = isUrl(source) ? source : await realpath(specPath(source))
  const documents: JsonObject = {}
  const keys = new Map<string, string>()
  const pending: { value: unknown; location: string; own: string }[] = [
    { value: root, location: base, own: '' },
  ]
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { location, own, value } = next
    for (const node of refNodes(value)) {
      const [target = '', pointer = ''] = String(node['$ref']).split('#')
      if (target === '') {
        if (own) node['$ref'] = `#/${HOLDER}/${own}${pointer}`
        continue
      }
      if (NO_DESCRIPTION.test(target)) continue
      const address = await allowedAddress(target, location, base)
      let key = keys.get(address)
      if (key === undefined) {
        if (keys.size >= MAX_DOCUMENTS) throw tooMany(source)
        key = `d${keys.size}`
        keys.set(address, key)
        const document = await parseSpec(await readSpec(address, allowPrivate), address)
        documents[key] = document
        pending.push({ value: document, location: address, own: key })
      }
      node['$ref'] = `#/${HOLDER}/${key}${pointer}`
    }
  }
  return keys.size === 0 ? root : { ...root, [HOLDER]: documents }
}

async function allowedAddress(target: string, location: string, base: string): Promise<string> {
  if (isUrl(base)) {
    const url = new URL(target, location)
    if (url.origin === new URL(base).origin) return url.href
    throw refused(target)
  }
  if (isUrl(target) || target.startsWith('file:')) throw refused(target)
  const path = await realpath(resolve(dirname(location), decodeUri(target))).catch(
    (error: unknown) => {
      throw new SpecError(`The reference ${target} leads to no file.`, 'Check its path.', {
        cause: error,
      })
    },
  )
  if (relative(dirname(base), path).startsWith('..')) throw refused(target)
  return path
}

/** Yields every `{ "$ref": … }` of a document, without recursion: documents may be very deep. */
function* refNodes(value: unknown): Generator<JsonObject> {
  const pending: unknown[] = [value]
  while (pending.length > 0) {
    const node = pending.pop()
    if (isObject(node) && typeof node['$ref'] === 'string') yield node
    // One by one: a very long list cannot be spread into arguments.
    else if (Array.isArray(node) || isObject(node))
      for (const child of Object.values(node)) pending.push(child)
  }
}

/** Returns the references to other documents, for the report if they are not followed. */
export function externalRefs(root: JsonObject): string[] {
  const refs = [...refNodes(root)].map((node) => String(node['$ref']))
  return [...new Set(refs.filter((ref) => !ref.startsWith('#')))]
}

function refused(target: string): SpecError {
  return new SpecError(
    `The reference ${target} leads outside the folder or host of the description.`,
    'Bundle the description into one file first.',
  )
}

function tooMany(source: string): SpecError {
  return new SpecError(`${source} refers to more than ${MAX_DOCUMENTS} documents.`, 'Bundle it.')
}
