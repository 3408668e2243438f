import { type JsonObject, isObject } from '../base/json/json.ts'

/** MCP Apps: pages of servers, which a host shows beside the results of a tool. */
export const APPS = 'io.modelcontextprotocol/ui'

/** The one kind of page there is so far. */
export const APP_PAGE = 'text/html;profile=mcp-app'

/** What a client or a server declared beyond the protocol itself, by the name of the extension. */
export function extensionsOf(capabilities: JsonObject): JsonObject {
  const { extensions } = capabilities
  return isObject(extensions) ? extensions : {}
}

/** Whether a client shows the pages of MCP Apps. */
export function showsApps(capabilities: JsonObject): boolean {
  return isObject(extensionsOf(capabilities)[APPS])
}
