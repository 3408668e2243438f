import { type JsonObject, isObject } from '../base/json/json.ts'

/** MCP Apps: pages of servers, which a host shows beside the results of a tool. */
export const APPS = 'io.modelcontextprotocol/ui'

/** The only type of page defined so far. */
export const APP_PAGE = 'text/html;profile=mcp-app'

/** Returns the extensions that a client or a server declared, by name. */
export function extensionsOf(capabilities: JsonObject): JsonObject {
  const { extensions } = capabilities
  return isObject(extensions) ? extensions : {}
}

/** Whether a client shows the pages of MCP Apps. */
export function showsApps(capabilities: JsonObject): boolean {
  return isObject(extensionsOf(capabilities)[APPS])
}
