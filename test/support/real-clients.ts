import { packageFile } from '../../src/base/files/package-files.ts'

export const SERVER = packageFile(
  'node_modules/@modelcontextprotocol/server-everything/dist/index.js',
)
const STDIO = { command: process.execPath, args: [SERVER] }
export const PROMPT = 'Say hello with the echo tool.'

export interface RealClient {
  readonly id: string
  readonly pinned: string
  readonly program: string
  /** Its own file, with one server in it. */
  readonly file: string
  readonly content: (model: string) => unknown
  /** The arguments of one turn without a person. */
  readonly turn: readonly string[]
  readonly env?: (model: string) => Record<string, string>
}

export const CLIENTS: readonly RealClient[] = [
  {
    id: 'claude-code',
    pinned: '@anthropic-ai/claude-code@2.1.327',
    program: 'claude',
    file: '.claude.json',
    content: () => ({ hasCompletedOnboarding: true, mcpServers: { everything: STDIO } }),
    turn: ['-p', PROMPT, '--allowedTools', 'mcp__portolan__execute_tool'],
    env: (model) => ({
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: 'sk-scripted',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
  },
  {
    id: 'codex',
    pinned: '@openai/codex@0.169.0',
    program: 'codex',
    file: '.codex/config.toml',
    content: (model) =>
      `# mine\nmodel = "scripted"\nmodel_provider = "scripted"\n\n[model_providers.scripted]\nname = "scripted"\nbase_url = "${model}/v1"\nwire_api = "responses"\n\n[mcp_servers.everything]\ncommand = ${JSON.stringify(STDIO.command)} # a program\nargs = ${JSON.stringify(STDIO.args)}\n`,
    turn: ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', PROMPT],
  },
  {
    id: 'gemini',
    pinned: '@google/gemini-cli@0.61.0',
    program: 'gemini',
    file: '.gemini/settings.json',
    content: () => ({
      security: { auth: { selectedType: 'gemini-api-key' } },
      mcpServers: { everything: STDIO },
    }),
    turn: ['-p', PROMPT, '--yolo', '-m', 'gemini-2.5-flash'],
    env: (model) => ({
      GEMINI_API_KEY: 'scripted',
      GOOGLE_GEMINI_BASE_URL: model,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    }),
  },
  {
    id: 'qwen',
    pinned: '@qwen-code/qwen-code@0.24.4',
    program: 'qwen',
    file: '.qwen/settings.json',
    content: () => ({
      security: { auth: { selectedType: 'openai' } },
      mcpServers: { everything: STDIO },
    }),
    turn: ['-p', PROMPT, '--yolo'],
    env: (model) => ({
      OPENAI_API_KEY: 'scripted',
      OPENAI_BASE_URL: `${model}/v1`,
      OPENAI_MODEL: 'scripted',
    }),
  },
  {
    id: 'opencode',
    pinned: 'opencode-ai@1.18.33',
    program: 'opencode',
    file: '.config/opencode/opencode.json',
    content: (model) => ({
      provider: {
        scripted: {
          npm: '@ai-sdk/openai-compatible',
          options: { baseURL: `${model}/v1`, apiKey: 'scripted' },
          models: { scripted: {} },
        },
      },
      mcp: { everything: { type: 'local', command: [STDIO.command, ...STDIO.args] } },
    }),
    turn: ['run', '-m', 'scripted/scripted', PROMPT],
  },
]
