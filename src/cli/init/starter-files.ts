import { VERSION } from '../../base/version.ts'

/** Words that servers use in the names of destructive tools. */
const DESTRUCTIVE = ['delete', 'remove', 'drop', 'destroy', 'purge', 'truncate', 'wipe', 'erase']

/** One agent, for callers that name none: it may use everything but destructive tools. */
export function starterRules(): string {
  const patterns = DESTRUCTIVE.flatMap((word) => [`${word}*`, `*_${word}`])
  const rules = {
    agents: {
      default: { allow: { servers: ['*'] }, deny: { tools: { '*': patterns } } },
    },
    defaults: { deny_on_missing_agent: false },
  }
  return `${JSON.stringify(rules, null, 2)}\n`
}

export function starterSettings(): string {
  return `# yaml-language-server: $schema=https://unpkg.com/portolan@${VERSION}/schemas/portolan.schema.json
# Everything here is optional; lines with a # show the default.

# The servers that come with Portolan, beside those of .mcp.json.
builtins:
  code: true
  knowledge: true
  traces: true

# What agents see: discover (a few tools to find the others), direct (every tool), or auto.
# surface: discover

# The most tokens that one result may have. By default there is no limit.
# budgets:
#   maxTokens: 4000

# Where \`portolan serve\` listens. Off 127.0.0.1, agents need keys: portolan keys create <agent>
# listen:
#   host: 127.0.0.1
#   port: 7411
`
}

export function starterServers(): string {
  return '{\n  "mcpServers": {}\n}\n'
}
