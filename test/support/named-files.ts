import { existsSync } from 'node:fs'
import type { TempFolder } from './temp-folder.ts'

const VARIABLES = {
  GATEWAY_MCP_CONFIG: '.mcp.json',
  GATEWAY_RULES: '.mcp-gateway-rules.json',
  PORTOLAN_CONFIG: 'portolan.yaml',
}

/**
 * Names the configuration files that are in a folder: what a test wrote there is as good as trusted.
 * A configuration in the database would step back behind named files, so there nothing is named.
 */
export function namedFiles(
  folder: TempFolder,
  env: Readonly<Record<string, string>> = {},
): Record<string, string> {
  if (env['PORTOLAN_CONFIG_SOURCE'] === 'database') return {}
  return Object.fromEntries(
    Object.entries(VARIABLES)
      .map(([variable, name]) => [variable, folder.file(name)] as const)
      .filter(([, file]) => existsSync(file)),
  )
}
