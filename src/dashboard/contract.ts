import type {
  AccessKey,
  ActAs,
  Connection,
  CreatedKey,
  Me,
  NewAccessKey,
  Sessions,
  UserKeyChange,
} from './contract/access.ts'
import type { AgentTools, Agents, PolicyAnswer, PolicyQuestion } from './contract/agents.ts'
import type {
  Builtin,
  CodeIndexRequest,
  CodeQuery,
  CodeResults,
  CodeState,
  IngestRequest,
  Job,
  KnowledgeQuery,
  KnowledgeResults,
  KnowledgeState,
  Moderation,
  SourcesPage,
  SourcesQuery,
  TraceDetail,
  TracesPage,
  TracesQuery,
} from './contract/builtins.ts'
import type {
  AuditPage,
  AuditQuery,
  Call,
  CallDetail,
  Capture,
  LiveEvents,
} from './contract/calls.ts'
import type { ConfigView, Reload } from './contract/config.ts'
import type { Overview, Series, SeriesRange } from './contract/overview.ts'
import type { Server, ServerDetail, ServerProbe } from './contract/servers.ts'

/**
 * What the dashboard and the gateway say to each other: types only, here and in
 * `contract/`, which are all that the web pages import of the gateway. All paths are below
 * `/api/dashboard`.
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
