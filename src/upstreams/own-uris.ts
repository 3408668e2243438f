import { type JsonObject, isObject } from '../base/json/json.ts'
import { exposedUri, parseExposedUri } from '../gateway/tools/resource-uri.ts'
import type { Listing, Upstream } from '../gateway/upstream.ts'
import { renameField, renameInDefinition, renameInSkill, renameUris } from './rename-uris.ts'
import { wrapUpstream } from './wrap-upstream.ts'

/** Requests whose results may hold resources or links to them. */
const WITH_RESOURCES =
  /^(?:tools\/call|resources\/(?:directory\/)?read|skills\/.+|prompts\/get|tasks\/.+)$/
/** Requests about one resource. */
const ABOUT_RESOURCE = new Set(['resources/read', 'resources/directory/read', 'skills/get'])
const UPDATED = 'notifications/resources/updated'

const wrapped = new WeakMap<Upstream, Upstream>()

/**
 * Wraps a server so that no other server has the same resource URIs (see
 * gateway/tools/resource-uri.ts). Callers know only the exposed URIs, the server only its own.
 */
export function ownUris(upstream: Upstream): Upstream {
  const { name } = upstream
  const toExposed = (uri: string) => exposedUri(name, uri)
  const exposeUris = (result: JsonObject) => renameUris(result, toExposed)
  const toOwn = (uri: string) => {
    const parsed = parseExposedUri(uri)
    return parsed?.server === name ? parsed.uri : uri
  }
  const outside = wrapUpstream(
    upstream,
    (inner) => ({
      // Not `async`, because every call passes here.
      request(method, params, context) {
        const sent = inner.request(method, toOwnParams(method, params, toOwn), context)
        return WITH_RESOURCES.test(method) ? sent.then(exposeUris) : sent
      },
      watch: async (uri, client) => inner.watch(toOwn(uri), client),
      onNotification: (listener) =>
        inner.onNotification((method, params, audience) =>
          listener(
            method,
            method === UPDATED
              ? renameField(params, 'uri', toExposed)
              : renameUris(params, toExposed),
            audience,
          ),
        ),
      // What is passed to the successor comes back through this wrapper and would be renamed twice.
      close: async (successor) => inner.close(successor && (wrapped.get(successor) ?? successor)),
    }),
    (own) => renameListing(own, toExposed),
  )
  wrapped.set(outside, upstream)
  return outside
}

function renameListing(listing: Listing, rename: (uri: string) => string): Listing {
  return {
    ...listing,
    tools: listing.tools.map((tool) => {
      const definition = renameInDefinition(tool.definition, rename)
      return definition === tool.definition ? tool : { ...tool, definition }
    }),
    resources: listing.resources.map((resource) => renameField(resource, 'uri', rename)),
    skills: listing.skills?.map((skill) => renameInSkill(skill, rename)),
    resourceTemplates: listing.resourceTemplates.map((template) =>
      renameField(template, 'uriTemplate', rename),
    ),
  }
}

/** Renames the URI of the resource to read, or the template to complete, to the server's own. */
function toOwnParams(
  method: string,
  params: JsonObject,
  toOwn: (uri: string) => string,
): JsonObject {
  if (ABOUT_RESOURCE.has(method)) return renameField(params, 'uri', toOwn)
  const { ref } = params
  if (method !== 'completion/complete' || !isObject(ref)) return params
  return { ...params, ref: renameField(ref, 'uri', toOwn) }
}
