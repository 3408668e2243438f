// One table of types: split, it would be harder to read.
// oxlint-disable max-lines

/**
 * What the dashboard and the gateway say to each other: types only, so that the web pages can import
 * this file and nothing else. All paths are below `/api/dashboard`.
 *
 * - Times are ISO 8601 text unless a name ends in `Ms` (milliseconds); `…Tokens` are tokens.
 * - A failure has the HTTP status that fits and a `Failure` as its body: 400 bad request, 401 no or a
 *   wrong key (show the login), 403 the role does not suffice, 404, 405, 413, 429, 500, 502 a server
 *   behind the gateway failed, 503.
 * - Everything but GET needs the header `x-portolan-dashboard: 1`: no page of another site can send it.
 * - What is of type `Builtin<…>` says `available: false` with a reason and a hint where that server is
 *   not configured, or the agent of the user may not use it.
 * - `agent` in a query or body: act as this agent, where the user may (`Me.actAs`); left out, `Me.agent`.
 */
export interface DashboardApi {
  'GET /me': { answer: Me }
  /** Sets an HttpOnly cookie; 401 when the key is wrong, 403 when it is of an agent. */
  'POST /login': { body: { readonly key: string }; answer: Me }
  'POST /logout': { answer: Done }
  /** Anybody. Where people sign in with an account; null where there are only keys. */
  'GET /sign-in': { answer: { readonly accounts: string | null } }

  /** Where the visitor is signed in; for an admin, where anybody is. */
  'GET /sessions': { answer: Sessions }
  /** Ends one of those, on every replica. */
  'POST /sessions/:session/end': { answer: Done }
  /** The keys of the visitor's agent; for an admin, of all. */
  'GET /keys': { answer: { readonly keys: readonly AccessKey[] } }
  /** Admin. The secret is in this answer, and in no other. */
  'POST /keys': { body: NewAccessKey; answer: CreatedKey }
  /** Ends one of those, at once. */
  'POST /keys/:key/revoke': { answer: Done }

  'GET /overview': { answer: Overview }
  'GET /series': { query: { readonly range: SeriesRange }; answer: Series }

  /** Server-Sent Events, see `LiveEvents`; `Last-Event-ID` resumes. `limit` (100): how many past calls. */
  'GET /calls/stream': { query: { readonly limit?: number }; answer: LiveEvents }
  /** The newest calls, without a stream. */
  'GET /calls': { query: { readonly limit?: number }; answer: { readonly calls: readonly Call[] } }

  /** One of the newest calls, with all that is known of it. */
  'GET /call/:id': { answer: CallDetail }
  /** Whether arguments and results are kept for the pages. */
  'GET /capture': { answer: Capture }
  /** Admin. Turning it off forgets what was kept. */
  'POST /capture': { body: { readonly on: boolean }; answer: Capture }

  'GET /servers': { answer: { readonly servers: readonly Server[] } }
  'GET /servers/:server': { answer: ServerDetail }
  /** Admin. Ends its processes, once their calls have ended, and starts it again. */
  'POST /servers/:server/restart': { answer: { readonly server: string } }
  /** Admin. Starts or reaches it, and lists its tools. */
  'POST /servers/:server/test': {
    body: { readonly timeoutMs: number }
    answer: ServerProbe
  }

  /** The visitor's own sign-ins to servers, and the keys that servers want of them. */
  'GET /connections': { answer: { readonly connections: readonly Connection[] } }
  /** Where the browser goes to sign in; it comes back to the gateway. Sets a cookie. */
  'POST /connections/:server/sign-in': { answer: { readonly address: string } }
  /** Forgets the tokens, and has the authorization server forget them where it can. */
  'POST /connections/:server/sign-out': { answer: Done }
  /** Sets a key of the visitor, or removes it where the value is empty. */
  'POST /connections/keys': { body: UserKeyChange; answer: Done }

  /** Admin. Switches its entry on or off, in the file that has it. */
  'POST /servers/:server/enabled': {
    body: { readonly enabled: boolean }
    answer: { readonly server: string; readonly file: string }
  }

  'GET /agents': { answer: Agents }
  /** What one agent may do on one server, tool by tool. */
  'GET /agents/:agent/:server': { answer: AgentTools }

  'GET /audit': { query: AuditQuery; answer: AuditPage }

  'GET /config': { answer: ConfigView }
  /** Admin. Reads all files again. */
  'POST /config/reload': { answer: { readonly reload: Reload } }

  /** The rules in force, in the form of their file, to start editing from. */
  'GET /policy': { answer: { readonly path: string | null; readonly rules: unknown } }
  /** Decides without doing; with `rules`, by those instead of the rules in force. */
  'POST /policy/check': { body: PolicyQuestion; answer: PolicyAnswer }

  'GET /code': { query: ActAs; answer: Builtin<CodeState> }
  'GET /code/search': { query: CodeQuery; answer: Builtin<CodeResults> }
  /** Admin. Starts; `GET /code` shows how far it is. */
  'POST /code/index': { body: CodeIndexRequest; answer: Builtin<{ readonly job: Job }> }

  'GET /knowledge': { query: ActAs; answer: Builtin<KnowledgeState> }
  'GET /knowledge/sources': { query: SourcesQuery; answer: Builtin<SourcesPage> }
  'GET /knowledge/search': { query: KnowledgeQuery; answer: Builtin<KnowledgeResults> }
  /** Admin. Starts; `GET /knowledge` shows how far it is. */
  'POST /knowledge/ingest': { body: IngestRequest; answer: Builtin<{ readonly job: Job }> }

  /** Without `q`, the newest first; with it, the best first. */
  'GET /traces': { query: TracesQuery; answer: Builtin<TracesPage> }
  'GET /traces/:id': { query: ActAs; answer: Builtin<TraceDetail> }
  /** Admin. */
  'POST /traces/:id/moderate': { body: Moderation; answer: Builtin<{ readonly message: string }> }

  /** Scripts that agents ran, and saved ones that they called: newest first. */
  'GET /runs': { query: { readonly limit?: number }; answer: { readonly runs: readonly Call[] } }
  'GET /runs/:id': { answer: RunDetail }
  /** Admin. Proposes the script of a run that ended well. */
  'POST /runs/:id/save': { body: RunToSave; answer: { readonly message: string } }
  /** The newest version of each saved script, and the active one where that is another. */
  'GET /scripts': { answer: { readonly scripts: readonly SavedScriptVersion[] } }
  'GET /scripts/:name': { answer: { readonly versions: readonly SavedScriptVersion[] } }
  /** Admin. Without a version, the newest is meant. */
  'POST /scripts/:name/decide': { body: ScriptDecision; answer: { readonly message: string } }
}

/** A run of a script, with the calls that it made. */
export interface RunDetail {
  readonly run: Call
  readonly calls: readonly RunCall[]
  /** What its calls answered and no agent had to read, about. */
  readonly tokensNotSpent: number
  /** Whether it made more calls than are shown. */
  readonly isCut: boolean
  /** The script, for an admin, where it ended well and this gateway still has it. */
  readonly source: string | null
}

/** What the script of a run is saved as. */
export interface RunToSave {
  readonly name: string
  readonly description: string
  /** JSON. */
  readonly inputSchema: string
}

export interface RunCall {
  readonly call: Call
  /** From the start of the run. */
  readonly afterMs: number
  /** Of a saved script: the calls that it made in turn. */
  readonly calls: readonly RunCall[]
}

export interface SavedScriptVersion {
  readonly name: string
  readonly version: number
  readonly description: string
  readonly source: string
  /** JSON, indented. */
  readonly inputSchema: string
  readonly state: 'proposed' | 'approved' | 'rejected'
  /** Whether calls run this version. */
  readonly isActive: boolean
  readonly author: string
  readonly createdAt: string
  readonly decidedBy: string | null
}

export interface ScriptDecision {
  readonly action: 'approve' | 'reject' | 'remove'
  readonly version?: number
}

/** The addresses of the pages: the gateway answers them with `index.html`, and no others. */
export type PagePath =
  | '/'
  | '/calls'
  | '/servers'
  | '/connections'
  | '/access'
  | '/agents'
  | '/playground'
  | '/audit'
  | '/config'
  | '/code'
  | '/knowledge'
  | '/traces'
  | '/scripts'

/** What a visitor has at a server that knows people. */
export interface Connection {
  readonly server: string
  /** `none` where nobody has been asked to sign in yet. */
  readonly state: 'signed-in' | 'needed' | 'none'
  /** Whether everybody uses one sign-in. */
  readonly shared: boolean
  /** Whether it can be signed in to; else it only wants keys. */
  readonly canSignIn: boolean
  readonly signedInAt: string | null
  readonly usedAt: string | null
  readonly scope: string | null
  /** The tools that cannot be called before. */
  readonly waitingTools: readonly string[]
  /** The keys that it wants of each person, and whether the visitor has set them. */
  readonly keys: readonly { readonly name: string; readonly isSet: boolean }[]
}

export interface UserKeyChange {
  readonly name: string
  readonly value: string
}

export interface Failure {
  readonly error: {
    readonly code: string
    readonly message: string
    /** What to do next. */
    readonly hint: string | null
  }
}

export interface Done {
  readonly ok: true
}

// ---------------------------------------------------------------- who

export type Role = 'admin' | 'viewer' | 'agent'

export interface Me {
  readonly role: Role
  /** As whom searches run and are recorded; null where the rules have nobody for it: choose one of `actAs`. */
  readonly agent: string | null
  /** Agents that may be named as `agent`; more than one only where no key is needed. */
  readonly actAs: readonly string[]
  /** `open`: this gateway asks nobody for a key. */
  readonly via: 'open' | 'key' | 'token' | 'cookie'
  readonly version: string
  /** Where agents connect, such as `http://127.0.0.1:7411/mcp`. */
  readonly endpoint: string
}

export interface Sessions {
  /** Null where people cannot sign in with an account, and keys are all there is. */
  readonly sessions: readonly Session[] | null
}

/** Somewhere that somebody is signed in. */
export interface Session {
  readonly id: string
  /** `dashboard`: this dashboard in a browser; `client`: an MCP client; `browser`: the pages of sign-in. */
  readonly kind: 'dashboard' | 'client' | 'browser'
  /** The person or agent. */
  readonly who: string
  readonly via: 'key' | 'user' | 'provider'
  /** The client, or what the browser calls itself. */
  readonly name: string | null
  readonly createdAt: string
  readonly expiresAt: string
  /** Whether it is the one that asks. */
  readonly isThis: boolean
}

/** A key, without its secret. */
export interface AccessKey {
  readonly id: string
  readonly agent: string
  readonly role: Role
  readonly state: 'good' | 'expired' | 'revoked'
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly revokedAt: string | null
}

export interface NewAccessKey {
  readonly agent: string
  readonly role: Role
  /** Good for ever when absent. */
  readonly days?: number
}

export interface CreatedKey {
  readonly key: AccessKey
  /** Shown once: nothing that is kept leads back to it. */
  readonly secret: string
}

export interface ActAs {
  readonly agent?: string
}

// ---------------------------------------------------------------- overview

export type Decision = 'ALLOW' | 'DENY' | 'ERROR' | 'TIMEOUT'

export interface Latency {
  readonly avgMs: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
}

export interface CallStats extends Latency {
  readonly count: number
  /** 0..1: failed, timed out, or the tool said so itself. */
  readonly errorRate: number
  /** 0..1 */
  readonly denialRate: number
}

export interface Overview {
  readonly version: string
  readonly startedAt: string
  readonly uptimeSeconds: number
  readonly calls: {
    readonly total: number
    readonly decisions: Readonly<Record<Decision, number>>
    /** `ok`, `tool_error`, or a failure code. */
    readonly outcomes: Readonly<Record<string, number>>
    /** Over the last minute. */
    readonly perSecond: number
  }
  /** Since the start, over everything. */
  readonly latency: Latency
  /** Over the last five minutes; null when nothing was called. */
  readonly recentLatency: Latency | null
  readonly tokens: TokenSavings
  readonly cache: {
    readonly hits: number
    readonly misses: number
    /** 0..1; null before the first lookup. */
    readonly hitRate: number | null
    readonly byServer: readonly CacheOfServer[]
  }
  readonly servers: {
    readonly total: number
    readonly byState: Readonly<Partial<Record<ServerState, number>>>
  }
  readonly sessions: number
  readonly audit: {
    readonly written: number
    readonly dropped: number
    readonly lastError: string | null
  }
  /** What this process is, among others that may serve the same team. */
  readonly replica: {
    readonly id: string
    readonly host: string
    readonly pid: number
    /** Where shared data lies, such as `embedded` or `postgres`. */
    readonly storage: string
    readonly limits: string
  }
  /** What somebody should look at; empty when all is well. */
  readonly notes: readonly Note[]
  readonly busiest: {
    readonly agents: readonly Named[]
    readonly servers: readonly Named[]
    readonly tools: readonly Named[]
  }
}

export interface Named extends CallStats {
  readonly name: string
}

export interface CacheOfServer {
  readonly server: string
  readonly hits: number
  readonly misses: number
  readonly hitRate: number
}

export interface Note {
  readonly level: 'info' | 'warning' | 'error'
  readonly text: string
  readonly hint: string | null
}

/** Since the start of this process. docs/guides/dashboard.md has the formulas. */
export interface TokenSavings {
  readonly total: number
  /** Per listing: definitions of all permitted tools, less those shown; less what discovery itself answered. */
  readonly discovery: number
  /** What results were shortened by. */
  readonly budgets: number
  /** What was answered without asking its server again: not less context, but less work. */
  readonly cache: number
  readonly listings: number
  /** What one listing costs now, on average over the agents of the rules. */
  readonly definitions: { readonly allTokens: number; readonly shownTokens: number }
}

/** `5m`: one point a second; `24h`: one a minute. */
export type SeriesRange = '5m' | '24h'

/** Columns of equal length, oldest first; the last point is still growing. */
export interface Series {
  readonly range: SeriesRange
  readonly stepSeconds: number
  /** Of the first point. */
  readonly fromMs: number
  readonly calls: readonly number[]
  readonly denied: readonly number[]
  /** Failed or timed out, or the tool said so itself. */
  readonly errors: readonly number[]
  /** Null where nothing was called. */
  readonly p50Ms: readonly (number | null)[]
  readonly p95Ms: readonly (number | null)[]
  readonly p99Ms: readonly (number | null)[]
  readonly cacheHits: readonly number[]
  readonly cacheMisses: readonly number[]
  readonly discoveryTokens: readonly number[]
  readonly budgetTokens: readonly number[]
  readonly cacheTokens: readonly number[]
}

// ---------------------------------------------------------------- live calls

/**
 * Events of `GET /calls/stream`, by `event:` name; `data` is JSON. The first is always `calls`, with
 * what went before (or, when resuming, what was missed). Comments keep the stream alive.
 */
export interface LiveEvents {
  readonly calls: {
    /** Newest first. At most ten times a second, with all that came meanwhile. */
    readonly calls: readonly Call[]
    /** Calls that were left out because they came too fast, or the reader was too slow. */
    readonly skipped: number
  }
  /** The files were read again. */
  readonly reload: Reload
}

export interface Call {
  readonly id: string
  /** When it ended. */
  readonly at: string
  readonly agent: string | null
  /** The name that its client gave itself. */
  readonly client: string | null
  /** `tools/call`, `execute_tool`, `find_tools`… */
  readonly operation: string
  readonly server: string | null
  readonly tool: string | null
  readonly decision: Decision
  readonly outcome: string
  readonly durationMs: number
  readonly rule: string | null
  readonly reason: string | null
  readonly error: string | null
  readonly cache: 'hit' | 'miss' | null
  readonly tokenCount: number | null
  readonly tokensSaved: number | null
  /** JSON text, cut and without secrets; only where `audit.arguments` is on. */
  readonly arguments: string | null
}

export interface CallDetail {
  readonly call: Call
  /** Null where nothing was kept of it, and for everybody but admins. */
  readonly kept: KeptCall | null
  /** What its server wrote beside the protocol while it ran, and shortly before and after. */
  readonly output: readonly OutputLine[]
}

/** JSON text without secrets. */
export interface KeptCall {
  readonly arguments: string | null
  /** As the agent got it; null for a call that failed. */
  readonly result: string | null
  /** Whether one of them is only its beginning. */
  readonly isCut: boolean
}

export interface Capture {
  readonly on: boolean
  /** How many calls are kept now, and what they take. */
  readonly calls: number
  readonly bytes: number
}

// ---------------------------------------------------------------- servers

export type ServerState = 'idle' | 'starting' | 'ready' | 'down' | 'closed' | 'disabled'

export interface Server {
  readonly name: string
  readonly kind: 'stdio' | 'http' | 'builtin' | 'openapi' | 'broken'
  /** Which of the servers that come with Portolan it is. */
  readonly builtin: string | null
  readonly description: string | null
  /** A command without its arguments, or an address without its query; null for those in this process. */
  readonly location: string | null
  /** The file that its entry stands in; null for a built-in server that no file names. */
  readonly file: string | null
  readonly state: ServerState
  /** Since when it is ready. */
  readonly since: string | null
  readonly era: 'legacy' | 'modern' | null
  readonly breaker: 'closed' | 'open' | 'half-open' | null
  readonly restarts: number
  /** How many connections to it are up: child processes, or sessions of a remote server. */
  readonly connections: number
  /** Why it is down now. */
  readonly error: string | null
  readonly retryAt: string | null
  /** The last call that failed on it, even if it is well again. */
  readonly lastError: { readonly at: string; readonly text: string } | null
  readonly toolCount: number
  /** What all its definitions cost an agent that sees them directly. */
  readonly toolTokens: number
  readonly calls: CallStats | null
}

/** What a server said when it was asked, or why it did not. */
export interface ServerProbe {
  readonly ms: number
  /** Undefined where the server could not be asked. */
  readonly tools?: number | undefined
  /** What its definitions take of an agent's context when all are listed. */
  readonly tokens?: number | undefined
  readonly error?: string | undefined
  /** What it wrote, and what to do about it where that is known. */
  readonly output?: readonly string[] | undefined
  readonly nextStep?: string | undefined
  /** Where to sign in, for a server that wants that. */
  readonly signIn?: string | undefined
}

export interface ServerDetail extends Server {
  readonly instructions: string | null
  readonly version: string | null
  /** What to do about a server that is down, where what it wrote is known. */
  readonly nextStep: string | null
  /** The last lines that it wrote beside the protocol, oldest first. */
  readonly output: readonly OutputLine[]
  readonly tools: readonly Tool[]
  readonly prompts: number
  readonly resources: number
}

export interface OutputLine {
  readonly at: string
  readonly text: string
}

export interface Tool {
  readonly name: string
  readonly title: string | null
  readonly description: string | null
  /** By its annotations, read with its name. */
  readonly effect: 'read' | 'write' | 'delete'
  /** What its definition costs. */
  readonly tokens: number
  /** The most tokens a result may take; null for no limit. */
  readonly maxTokens: number | null
  /** In one line, as `find_tools` shows it. */
  readonly signature: string
  readonly calls: CallStats | null
}

// ---------------------------------------------------------------- agents

export interface Agents {
  /** Where the rules are; null when there are none, and everything is allowed. */
  readonly rulesPath: string | null
  readonly servers: readonly string[]
  readonly agents: readonly AgentRow[]
}

export interface AgentRow {
  readonly id: string
  /** `other` is the row for every agent that nothing names; its id is `*`. */
  readonly source: 'rules' | 'settings' | 'keys' | 'seen' | 'other'
  readonly surface: 'auto' | 'discover' | 'direct' | 'scripts'
  readonly maxTokens: number | null
  readonly ratePerMinute: number | null
  readonly pins: readonly string[]
  /** One for each of `Agents.servers`, in that order. */
  readonly cells: readonly AgentCell[]
  /** What all definitions it may see would cost, and what its surface shows it instead. */
  readonly allTokens: number
  readonly shownTokens: number
  readonly calls: CallStats | null
}

export interface Verdict {
  readonly effect: 'allow' | 'deny'
  /** The path of the rule that decides, such as `agents.ada.allow.servers[0]`. */
  readonly rule: string
  readonly reason:
    | 'unknown_agent'
    | 'server_not_allowed'
    | 'tool_not_allowed'
    | 'scripts_not_allowed'
    | null
  readonly message: string
}

export interface AgentCell extends Verdict {
  readonly server: string
  readonly toolsAllowed: number
  readonly toolsTotal: number
}

export interface AgentTools extends Verdict {
  readonly agent: string
  readonly server: string
  readonly tools: readonly ToolVerdict[]
}

export interface ToolVerdict extends Verdict {
  readonly name: string
  readonly description: string | null
  readonly tokens: number
}

// ---------------------------------------------------------------- audit

export interface AuditQuery {
  readonly agent?: string
  readonly server?: string
  readonly tool?: string
  readonly decision?: Decision
  /** Anywhere in the entry, in any case. */
  readonly text?: string
  /** ISO, inclusive. */
  readonly since?: string
  /** ISO, exclusive. */
  readonly until?: string
  /** `AuditPage.next` of the page before. */
  readonly cursor?: string
  /** 1 to 500; 100 when left out. */
  readonly limit?: number
}

export interface AuditPage {
  /** Newest first. */
  readonly calls: readonly Call[]
  /** Null when there is no more. */
  readonly next: string | null
  /** How many entries were looked at for this page. */
  readonly scanned: number
  readonly tookMs: number
}

// ---------------------------------------------------------------- config

export interface ConfigView {
  readonly files: readonly ConfigFile[]
  readonly warnings: readonly string[]
  /** Newest first. */
  readonly history: readonly Reload[]
  /** Every setting in effect, secrets redacted. */
  readonly settings: readonly Setting[]
}

export interface ConfigFile {
  readonly kind: 'mcp' | 'rules' | 'settings'
  /** Null when there is none. */
  readonly path: string | null
  /** `user` applies in every folder; null when there is no file. */
  readonly level: 'user' | 'project' | null
  readonly lastAttempt: string | null
  readonly lastSuccess: string | null
  readonly lastError: string | null
  readonly attempts: number
  readonly successes: number
  readonly warnings: readonly string[]
}

export interface Reload {
  readonly at: string
  /** `partly`: a bad file kept its last good content, another one changed. */
  readonly outcome: 'applied' | 'unchanged' | 'refused' | 'partly'
  /** Changes and warnings in one line: `rules: +z −y ~x; servers: +b ~c; 1 warning: …`. */
  readonly summary: string
  /** In words, such as `server "git" added` or `rules of agent "ada" changed`. */
  readonly changes: readonly string[]
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
  readonly tookMs: number
}

export interface Setting {
  /** Such as `listen.port`. */
  readonly path: string
  /** JSON value; `[redacted]` in place of a secret. */
  readonly value: unknown
  readonly isDefault: boolean
  readonly description: string | null
}

// ---------------------------------------------------------------- policy playground

export interface PolicyQuestion {
  readonly agent: string
  readonly server: string
  readonly tool?: string
  /** The content of a rules file, as JSON: validated and asked, never applied. */
  readonly rules?: unknown
}

export interface PolicyAnswer {
  /** False when `rules` was given and is not valid: then `verdict` is null, and `problems` says why. */
  readonly valid: boolean
  readonly problems: readonly PolicyProblem[]
  readonly warnings: readonly string[]
  readonly verdict: Verdict | null
  /** By the rules in force; only when `rules` was given. */
  readonly current: Verdict | null
  /** What the reader should know, such as names that nobody defined. */
  readonly notes: readonly string[]
  /** What else the agent could do. */
  readonly servers: readonly AgentCell[]
  /** The tools of the server that was asked about. */
  readonly tools: readonly ToolVerdict[]
}

export interface PolicyProblem {
  /** Such as `agents.ada.allow.servers[0]`. */
  readonly path: string
  readonly message: string
  readonly hint: string | null
}

// ---------------------------------------------------------------- built-ins

export type Builtin<Answer> =
  | ({ readonly available: true; readonly server: string } & Answer)
  | {
      readonly available: false
      readonly reason: 'not_configured' | 'denied'
      readonly message: string
      /** How to turn it on. */
      readonly hint: string
    }

/** Work that goes on behind the page: indexing a folder, taking documents in. */
export interface Job {
  readonly id: string
  readonly title: string
  readonly state: 'waiting' | 'running' | 'done' | 'failed' | 'cancelled'
  readonly done: number
  /** Null while it is not known. */
  readonly total: number | null
  readonly message: string | null
  readonly error: string | null
  readonly startedAt: string
  readonly endedAt: string | null
}

// ---------------------------------------------------------------- code

export interface CodeState {
  readonly indexes: readonly CodeIndex[]
  readonly jobs: readonly Job[]
}

export interface CodeIndex {
  readonly name: string
  readonly path: string
  readonly files: number
  readonly updatedAt: string | null
}

export interface CodeQuery extends ActAs {
  readonly q: string
  readonly index?: string
  readonly mode?: 'ranked' | 'exact' | 'regex'
  readonly language?: string
  /** 1 to 50; 10 when left out. */
  readonly limit?: number
}

export interface CodeResults {
  /** The folder that was searched, and its index. */
  readonly searched: { readonly path: string; readonly index: string | null } | null
  readonly results: readonly CodeHit[]
  /** Warnings and hints: not indexed yet, results left out, embedder away… */
  readonly notes: readonly string[]
  readonly tookMs: number
}

export interface CodeHit {
  readonly file: string
  readonly startLine: number
  readonly endLine: number
  /** 0..1 */
  readonly score: number
  readonly content: string
  readonly language: string
  readonly symbol: { readonly type: string; readonly name: string } | null
  readonly match: 'keyword' | 'semantic' | 'both'
  readonly index: string | null
}

export interface CodeIndexRequest extends ActAs {
  readonly path: string
  readonly indexName?: string
}

// ---------------------------------------------------------------- knowledge

export interface KnowledgeState {
  readonly documents: number
  readonly passages: number
  readonly tokens: number
  readonly collections: readonly string[]
  readonly embedder: string | null
  readonly jobs: readonly Job[]
}

export interface SourcesQuery extends ActAs {
  readonly collection?: string
  readonly status?: 'pending' | 'ingesting' | 'complete' | 'failed'
  readonly cursor?: string
  /** 1 to 200; 50 when left out. */
  readonly limit?: number
}

export interface SourcesPage {
  readonly sources: readonly Source[]
  readonly total: number
  readonly next: string | null
}

export interface Source {
  readonly id: string
  readonly location: string
  readonly title: string
  readonly status: 'pending' | 'ingesting' | 'complete' | 'failed'
  readonly collection: string
  readonly format: string | null
  readonly passages: number
  readonly words: number
  readonly updatedAt: string
  readonly error: string | null
}

export interface KnowledgeQuery extends ActAs {
  readonly q: string
  readonly collection?: string
  /** 1 to 50; 10 when left out. */
  readonly limit?: number
}

export interface KnowledgeResults {
  readonly results: readonly Passage[]
  readonly notes: readonly string[]
  readonly tookMs: number
}

export interface Passage {
  readonly id: string
  readonly content: string
  /** 0..1 */
  readonly score: number
  /** Title, clause and page in one line. */
  readonly citation: string
  readonly title: string | null
  readonly location: string | null
  readonly clause: string | null
  readonly page: number | null
  readonly kind: string | null
  readonly normative: boolean
}

export interface IngestRequest extends ActAs {
  /** A web page, a git repository, a file or a folder. */
  readonly location: string
  readonly collection?: string
  readonly title?: string
  /** How far links of a web page are followed: 0 to 5. */
  readonly depth?: number
}

// ---------------------------------------------------------------- traces

export interface TracesQuery extends ActAs {
  readonly q?: string
  readonly tag?: string
  readonly status?: 'pending' | 'validated'
  /** `1`: only what was reported. Admin. */
  readonly flagged?: '1'
  readonly cursor?: string
  /** 1 to 50; 20 when left out. */
  readonly limit?: number
}

export interface TracesPage {
  readonly traces: readonly Trace[]
  readonly next: string | null
  /** Null where it is not known, as for a search. */
  readonly total: number | null
  readonly tags: readonly string[]
  readonly notes: readonly string[]
}

export interface Trace {
  readonly id: string
  readonly title: string
  readonly status: 'pending' | 'validated'
  readonly flagged: boolean
  readonly tags: readonly string[]
  /** The opening of the problem. */
  readonly preview: string
  readonly trust: number
  readonly confirmations: number
  readonly retrievals: number
  readonly contributor: string
  readonly createdAt: string
  /** 0..1; null unless searched for. */
  readonly score: number | null
}

export interface TraceDetail extends Trace {
  readonly context: string
  readonly solution: string
  readonly agentModel: string | null
  readonly updatedAt: string
  /** What in the text seems to address its reader: it was written by somebody else. */
  readonly injectionFlags: readonly string[]
  readonly amendments: readonly Amendment[]
  readonly related: readonly {
    readonly id: string
    readonly title: string
    readonly relationship: string
  }[]
}

export interface Amendment {
  readonly id: string
  readonly status: 'proposed' | 'applied' | 'rejected'
  readonly explanation: string
  readonly improvedSolution: string
  readonly createdAt: string
}

export interface Moderation extends ActAs {
  /** `approve` dismisses reports and validates it; `flag` hides it; `remove` deletes it for good. */
  readonly action: 'approve' | 'flag' | 'remove'
  readonly reason?: string
}
