import type {
  AccessKey,
  ActAs,
  Connection,
  CreatedKey,
  Invitation,
  NewUser,
  Me,
  NewAccessKey,
  OpenedSession,
  Sessions,
  UserKeyChange,
  UserRights,
  Users,
} from './contract/access.ts'
import type {
  AddAnswer,
  AddPlan,
  FoundServers,
  NewServer,
  ServerAddition,
  ServerEntry,
  ToolWords,
} from './contract/additions.ts'
import type { ApprovalAnswer, ApprovalView, RuleChange } from './contract/approvals.ts'
import type {
  AccessChange,
  AgentTools,
  Agents,
  PolicyAnswer,
  PolicyQuestion,
  RulesDraft,
} from './contract/agents.ts'
import type {
  Builtin,
  CodeIndexRequest,
  CodeQuery,
  CodeResults,
  CodeState,
  DeleteRequest,
  IngestRequest,
  KnowledgeQuery,
  KnowledgeResults,
  KnowledgeState,
  Moderation,
  ReadPages,
  ReadQuery,
  SourcesPage,
  SourcesQuery,
  StartedJob,
  TraceDetail,
  TracesPage,
  TracesQuery,
} from './contract/builtins.ts'
import type { SavedScript } from '../protocol/saved-scripts.ts'
import type {
  AuditPage,
  AuditQuery,
  Call,
  CallDetail,
  Capture,
  LiveEvents,
} from './contract/calls.ts'
import type { ConfigView, History, Reload, UntrustedContent } from './contract/config.ts'
import type { Costs, Overview, SpanName } from './contract/overview.ts'
import type { ToolDetail, ToolRun, ToolRunAnswer } from './contract/run.ts'
import type {
  ReviewDecision,
  Server,
  ServerDetail,
  ServerProbe,
  ServerReview,
} from './contract/servers.ts'

/**
 * The API between the dashboard and the gateway: types only, here and in `contract/`. The web pages
 * import nothing else from the gateway. All paths are below `/api/dashboard`.
 *
 * - Times are ISO 8601 text unless a name ends in `Ms` (milliseconds); `…Tokens` are tokens.
 * - A failure has an HTTP status and a `Failure` as its body: 400 bad request, 401 missing or wrong
 *   key (show the login), 403 the role does not suffice, 404, 405, 413, 429, 500, 502 a server
 *   behind the gateway failed, 503.
 * - All requests but GET need the header `x-portolan-dashboard: 1`, which other sites cannot send;
 *   in a session of `portolan dashboard`, its value is the proof of that session.
 * - Whoever has shown no key and no session can only read: 403 SESSION_REQUIRED for anything else.
 * - Answers of type `Builtin<…>` have `available: false`, a reason and a hint if that server is not
 *   configured, or if the agent of the user may not use it.
 * - `agent` in a query or body: act as this agent, if allowed (`Me.actAs`); default: `Me.agent`.
 */
export interface DashboardApi {
  'GET /me': { answer: Me }
  /** Sets an HttpOnly cookie; 401 if the key is wrong, 403 if its role is agent. */
  'POST /login': { body: { readonly key: string }; answer: Me }
  /** Signs in with the link of `portolan dashboard`, which works once. Sets an HttpOnly cookie. */
  'POST /session': { body: { readonly link: string }; answer: OpenedSession }
  'POST /logout': { answer: Done }
  /** For anybody. The address for signing in with an account; null if there are only keys. */
  'GET /sign-in': { answer: { readonly accounts: string | null } }

  /** The sessions of the visitor; for an admin, of everybody. */
  'GET /sessions': { answer: Sessions }
  /** Ends one of these sessions, on every replica. */
  'POST /sessions/:session/end': { answer: Done }
  /** The keys of the visitor's agent; for an admin, all keys. */
  'GET /keys': { answer: { readonly keys: readonly AccessKey[] } }
  /** Admin. Only this answer contains the secret. */
  'POST /keys': { body: NewAccessKey; answer: CreatedKey }
  /** Revokes one of these keys, with immediate effect. */
  'POST /keys/:key/revoke': { answer: Done }

  /** Admin. */
  'GET /users': { answer: Users }
  /**
   * Admin. Creates a user, who chooses a password by the link; 409 if there is one of that name,
   * unless that one shall choose `again`, who is then signed out everywhere.
   */
  'POST /users': { body: NewUser; answer: Invitation }
  /** Admin. Changes groups and role, also for where they are signed in. */
  'POST /users/:user': { body: UserRights; answer: Done }
  /** Admin. Ends their password, sessions and keys; they can be invited again. */
  'POST /users/:user/disable': { answer: Done }
  /** Admin. Ends the same, and deletes their sign-ins to servers. */
  'POST /users/:user/remove': { answer: Done }

  'GET /overview': { query: { readonly range?: SpanName }; answer: Overview }
  /** Tokens and money, by agent, server, tool and day. */
  'GET /costs': { query: { readonly range?: SpanName }; answer: Costs }

  /** Server-Sent Events (`LiveEvents`); `Last-Event-ID` resumes. `limit` (100): past calls. */
  'GET /calls/stream': { query: { readonly limit?: number }; answer: LiveEvents }
  /** The newest calls of every process, without a stream. */
  'GET /calls': { query: { readonly limit?: number }; answer: { readonly calls: readonly Call[] } }

  /** A call with its neighbours. `at`, when it ended, finds one that is not among the newest. */
  'GET /call/:id': { query: { readonly at?: string }; answer: CallDetail }
  /** Whether arguments and results are kept for the pages. */
  'GET /capture': { answer: Capture }
  /** Admin. Turning it off deletes what was kept. */
  'POST /capture': { body: { readonly on: boolean }; answer: Capture }

  'GET /servers': { answer: { readonly servers: readonly Server[] } }
  /** `folder`: of the folder that alone has it. */
  'GET /servers/:server': { query: { readonly folder?: string }; answer: ServerDetail }
  /** Admin. Ends the server's processes once their calls have ended, and starts it again. */
  'POST /servers/:server/restart': { answer: { readonly server: string } }
  /** Admin. Starts or connects to the server, and lists its tools. */
  'POST /servers/:server/test': {
    body: { readonly timeoutMs: number }
    answer: ServerProbe
  }

  /** One tool of a server, with its schema and who may use it. */
  'GET /servers/:server/tools/:tool': {
    query: { readonly folder?: string }
    answer: ToolDetail
  }
  /** Admin. Calls a tool as an agent would: rules, questions, limits and audit apply. */
  'POST /run': { body: ToolRun; answer: ToolRunAnswer }

  /** What has changed at the server since it was accepted, and is held. */
  'GET /servers/:server/review': { answer: ServerReview }
  /** Admin. Accepts or rejects changes that were shown. */
  'POST /servers/:server/review': {
    body: ReviewDecision
    answer: { readonly server: string; readonly decided: readonly string[] }
  }

  /** The visitor's own sign-ins to servers, and the keys that servers require of them. */
  'GET /connections': { answer: { readonly connections: readonly Connection[] } }
  /** The address where the browser signs in before it returns to the gateway. Sets a cookie. */
  'POST /connections/:server/sign-in': { answer: { readonly address: string } }
  /** Deletes the tokens, and revokes them at the authorization server if it supports that. */
  'POST /connections/:server/sign-out': { answer: Done }
  /** Sets a key of the visitor, or removes it if the value is empty. */
  'POST /connections/keys': { body: UserKeyChange; answer: Done }

  /** Admin. Switches the server's entry on or off, in the file that contains it. */
  'POST /servers/:server/enabled': {
    body: { readonly enabled: boolean }
    answer: { readonly server: string; readonly file: string }
  }

  /** Admin. Searches the registries of the settings. */
  'POST /servers/search': { body: { readonly words: string }; answer: FoundServers }
  /** Admin. What would be added; starts nothing, and writes nothing. */
  'POST /servers/plan': { body: NewServer; answer: AddPlan }
  /** Admin. Adds servers as one version; refused if they are not as they were shown. */
  'POST /servers/add': { body: ServerAddition; answer: AddAnswer }

  'GET /servers/:server/entry': { answer: ServerEntry }
  /** Admin. Refused if the file is not as it was when the entry was read. */
  'POST /servers/:server/entry': {
    body: { readonly entry: string; readonly digest: string }
    answer: ChangedEntry
  }
  /** Admin. Copies the entry under another name. */
  'POST /servers/:server/duplicate': { body: { readonly name: string }; answer: ChangedEntry }
  /** Admin. Sets what the entry says of one tool. */
  'POST /servers/:server/tools/:tool': { body: ToolWords; answer: ChangedEntry }

  /** Admin. Removes the server's entry from its file, as a version that can be undone. */
  'POST /servers/:server/remove': {
    answer: { readonly file: string; readonly version: number | null }
  }

  'GET /agents': { answer: Agents }
  /** What one agent may do on one server, tool by tool. */
  'GET /agents/:agent/:server': { answer: AgentTools }

  'GET /audit': { query: AuditQuery; answer: AuditPage }
  /** All that match, newest first, as a file: `format` is `jsonl` or `csv`. */
  'GET /audit/export': {
    query: Omit<AuditQuery, 'cursor' | 'limit'> & { readonly format?: 'jsonl' | 'csv' }
    answer: string
  }

  'GET /config': { answer: ConfigView }
  /** What an untrusted file of an open folder says. */
  'GET /config/untrusted': { query: { readonly path: string }; answer: UntrustedContent }
  /** Admin. Trusts exactly this content of a file. */
  'POST /config/trust': {
    body: { readonly path: string; readonly digest: string }
    answer: { readonly trusted: string }
  }
  /** Admin. Reads all files again. */
  'POST /config/reload': { answer: { readonly reload: Reload } }

  /** The changes of the files, newest first. */
  'GET /history': { answer: History }
  /** Admin. Restores the files as of a version; null if they are like that already. */
  'POST /history/:version/rollback': { answer: { readonly version: number | null } }

  /** Calls that wait for a person, and what became of others; those of the visitor, or all. */
  'GET /approvals': { answer: { readonly approvals: readonly ApprovalView[] } }
  'GET /approvals/waiting': { answer: { readonly waiting: number } }
  /** The first answer counts: 400 if there was one already. */
  /** What "always" would change in the rules. */
  'GET /approvals/:id/always': { answer: Pick<RuleChange, 'path' | 'diff'> }
  'POST /approvals/:id/answer': { body: ApprovalAnswer; answer: Done }

  /** The rules in force, in the form of their file, to start editing from. */
  'GET /policy': { answer: { readonly path: string | null; readonly rules: unknown } }
  /** Evaluates the rules in force, or `rules` if given, without making a call. */
  'POST /policy/check': { body: PolicyQuestion; answer: PolicyAnswer }

  /** Checks a condition on arguments, as a rules file has it. */
  'POST /rules/condition': {
    body: { readonly when: unknown }
    answer: { readonly problems: readonly { readonly path: string; readonly message: string }[] }
  }
  /** What changes of the rules would do to their files, and to the calls of the last days. */
  'POST /rules/draft': {
    body: { readonly changes: readonly AccessChange[] }
    answer: RulesDraft
  }
  /** Admin. Refused if a file is not as it was when the draft was made. */
  'POST /rules/apply': {
    body: {
      readonly changes: readonly AccessChange[]
      /** By path, as in the draft. */
      readonly digests: Readonly<Record<string, string>>
    }
    answer: { readonly versions: readonly number[] }
  }

  'GET /code': { query: ActAs; answer: Builtin<CodeState> }
  'GET /code/search': { query: CodeQuery; answer: Builtin<CodeResults> }
  /** Admin. Starts indexing; `GET /code` shows the progress. */
  'POST /code/index': { body: CodeIndexRequest; answer: Builtin<StartedJob> }

  'GET /knowledge': { query: ActAs; answer: Builtin<KnowledgeState> }
  'GET /knowledge/sources': { query: SourcesQuery; answer: Builtin<SourcesPage> }
  'GET /knowledge/search': { query: KnowledgeQuery; answer: Builtin<KnowledgeResults> }
  /** A passage in its document; 404 if the document has changed since it was found. */
  'GET /knowledge/read': { query: ReadQuery; answer: Builtin<ReadPages> }
  /** Admin. Deletes a document with its passages. */
  'POST /knowledge/delete': { body: DeleteRequest; answer: Builtin<{ readonly message: string }> }
  /** Admin. Starts ingesting; `GET /knowledge` shows the progress. */
  'POST /knowledge/ingest': { body: IngestRequest; answer: Builtin<StartedJob> }

  /** Newest first; with `q`, best match first. */
  'GET /traces': { query: TracesQuery; answer: Builtin<TracesPage> }
  'GET /traces/:id': { query: ActAs; answer: Builtin<TraceDetail> }
  /** Admin. */
  'POST /traces/:id/moderate': { body: Moderation; answer: Builtin<{ readonly message: string }> }

  /** Scripts that agents ran, and saved ones that they called: newest first. */
  'GET /runs': { query: { readonly limit?: number }; answer: { readonly runs: readonly Call[] } }
  'GET /runs/:id': { answer: RunDetail }
  /** Admin. Proposes the script of a run that ended well. */
  'POST /runs/:id/save': { body: RunToSave; answer: { readonly message: string } }
  /** Each saved script behind its proposals. */
  'GET /scripts': { answer: { readonly scripts: readonly SavedScript[] } }
  /** Admin. Proposes a script, in place of one of its name once it is approved. */
  'POST /scripts': {
    body: RunToSave & { readonly source: string }
    answer: { readonly message: string }
  }
  /** Admin. */
  'POST /scripts/decide': { body: ScriptDecision; answer: { readonly message: string } }
}

/** A run of a script, with the calls that it made. */
export interface RunDetail {
  readonly run: Call
  readonly calls: readonly RunCall[]
  /** About how many tokens its calls returned that no agent had to read. */
  readonly tokensNotSpent: number
  /** Whether it made more calls than are shown. */
  readonly isCut: boolean
  /** The script; only for an admin, if it succeeded and this gateway still has it. */
  readonly source: string | null
}

/** What the script of a run is saved as. */
interface RunToSave {
  readonly name: string
  readonly description: string
  /** JSON. */
  readonly inputSchema: string
}

export interface RunCall {
  readonly call: Call
  /** From the start of the run. */
  readonly afterMs: number
  /** For a saved script: the calls that it made in turn. */
  readonly calls: readonly RunCall[]
}

export type { SavedScript }

export interface ScriptDecision {
  readonly action: 'approve' | 'reject' | 'remove'
  /** The digest of a proposal to approve or reject, or the name of the script to remove. */
  readonly script: string
}

/** The paths of the pages: the gateway answers only these with `index.html`. */
export type PagePath =
  | '/'
  | '/calls'
  | '/servers'
  | '/run'
  | '/connections'
  | '/access'
  | '/agents'
  | '/playground'
  | '/audit'
  | '/costs'
  | '/config'
  | '/history'
  | '/approvals'
  | '/code'
  | '/knowledge'
  | '/traces'
  | '/scripts'

interface ChangedEntry {
  readonly file: string
  /** Null if nothing has changed. */
  readonly version: number | null
  readonly diff: readonly string[]
}

interface Done {
  readonly ok: true
}
