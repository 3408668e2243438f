/**
 * The names of agent-mcp-gateway, which Portolan replaces; nothing else spells them out. Ours come
 * first where both are set.
 */
export const THEIR_SETTINGS: readonly (readonly [variable: string, path: string])[] = [
  ['GATEWAY_TRANSPORT', 'listen.transport'],
  ['GATEWAY_HTTP_HOST', 'listen.host'],
  ['GATEWAY_PORT', 'listen.port'],
  ['GATEWAY_HTTP_PORT', 'listen.port'],
  ['GATEWAY_CORS_ORIGINS', 'listen.allowedOrigins'],
  ['GATEWAY_AUDIT_LOG', 'audit.path'],
  ['GATEWAY_DEBUG', 'debug'],
  ['GATEWAY_DEFAULT_AGENT', 'auth.defaultAgent'],
  ['GATEWAY_INIT_STRATEGY', 'upstreams.start'],
]

/** The variables that name its two files. */
export const THEIR_FILES = { mcp: 'GATEWAY_MCP_CONFIG', rules: 'GATEWAY_RULES', settings: '' }

/** Where it had them, below the home folder. */
export const THEIR_FOLDER = '.config/agent-mcp-gateway'
