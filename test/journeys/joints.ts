// oxlint-disable max-lines -- one table, of which a reader compares rows
/**
 * Where features meet circumstances, as most serious defects sat between two parts that each pass
 * their own tests. A cell is one of:
 *
 * - `file > title`: the test that covers it, by the beginning of its title; `file` is below `test`
 *   and without `.test.ts`, or begins with `src/`, or is `attack/` and a family of `bench/attack`;
 * - `never: …`: why users cannot meet it, or why there is nothing to get wrong;
 * - `open: …`: what users can meet and no test covers.
 */
export type Cell = string

export const CIRCUMSTANCES = [
  'reload',
  'gateway restart',
  'kill -9',
  'second client',
  'second person',
  'other era',
  'token refresh',
  'server restart',
  'trust change',
  'replica',
  'script',
  'task',
  'full disk',
] as const

export type Circumstance = (typeof CIRCUMSTANCES)[number]

/** Every call to this feature carries the credential of its session, whose refresh is one path. */
const REFRESH = 'e2e/session-refresh > the official client goes on in its session with a refreshed'
const HOUR = 'journeys/signed-in-hour > a signed-in hour'
const RETURN = 'journeys/person-who-comes-back > who gets the name of a person who left'
const FULL_DISK = 'journeys/full-disk > a day on a full disk'
const REPLICAS = 'e2e/replicas > lose nothing and say nothing wrong while everything around them'
const FOLDER = 'e2e/trust > gets the servers of the folder while it runs, once a person trusts them'

/** More than one test of a cell. */
const and = (...tests: string[]): Cell => tests.join(' && ')

export const JOINTS: Readonly<Record<string, Readonly<Record<Circumstance, Cell>>>> = {
  'tools over stdio': {
    reload: and(
      'e2e/reload > lets calls in flight finish under the rules they began with',
      'e2e/reload > keeps the process of a server that did not change',
    ),
    'gateway restart': 'e2e/drain > a %s call in flight ends as it would have',
    'kill -9': 'e2e/processes > when the gateway is killed and can do nothing about it',
    'second client': 'e2e/connections > sessions that cannot be asked share one process',
    'second person': 'e2e/keys-of-people > each person has their own key, process and answers',
    'other era': 'e2e/eras > is one process for clients of both eras',
    'token refresh': REFRESH,
    'server restart': and(
      'e2e/faults > in the middle of a call fails that call at once',
      'journeys/upgraded-server > a server is upgraded under load',
      'journeys/sleeping-laptop > a laptop that sleeps',
    ),
    'trust change': FOLDER,
    replica: REPLICAS,
    script: 'e2e/scripts > calls tools of several servers, and only its result comes back',
    task: 'e2e/tasks > a call that takes long is offered as a task, where the settings say so',
    'full disk': FULL_DISK,
  },
  'servers in a sandbox': {
    reload: 'e2e/sandbox > gets what a changed entry allows after a reload, in a new process',
    'gateway restart': 'never: nothing of it is kept but its cache, which is a folder',
    'kill -9': 'e2e/sandbox > ends with all that it started, and when the gateway is killed',
    'second client': 'never: clients share its process as that of any other program',
    'second person':
      'never: a program with the key of a person has a process and a cache of that person',
    'other era': 'never: it is the same program over the same pipes',
    'token refresh': 'never: a program is not signed in to',
    'server restart': 'e2e/sandbox > restarts when it is asked to, with its cache as it was',
    'trust change':
      'src/config/narrow-servers > run in a sandbox at once where they ask for one, and never in a wider',
    replica: 'never: each replica starts programs of its own, on its own machine',
    script: 'never: its calls are those of any other program',
    task: 'never: its tasks are those of any other program',
    'full disk':
      'src/upstreams/stdio/bubblewrap/to-arguments > has an empty cache where its own cannot be made',
  },
  'pinned packages': {
    reload: 'e2e/pinned-packages > takes an upgrade into the lock, which a clone gets with it',
    'gateway restart':
      'e2e/pinned-packages > is pinned when it first starts, marked so, and runs in',
    'kill -9':
      'src/upstreams/stdio/packages/open-package.process > is installed by the next gateway where the',
    'second client': 'never: clients share its process as that of any other program',
    'second person':
      'never: packages belong to the data folder; keys of people are in the variables of a process',
    'other era': 'never: it is the same program over the same pipes',
    'token refresh': 'never: a program is not signed in to',
    'server restart':
      'src/upstreams/stdio/packages/open-package.process > is installed again, and says so, where one',
    'trust change':
      'e2e/pinned-packages > is the same in two clones with one lock, whatever was published meanwhile',
    replica:
      'src/upstreams/stdio/packages/open-package.process > has one winner where several gateways',
    script: 'never: its calls are those of any other program',
    task: 'never: its tasks are those of any other program',
    'full disk':
      'src/upstreams/stdio/packages/open-package.process > leaves nothing half-installed on a full disk',
  },
  'remote servers (HTTP)': {
    reload: 'e2e/subscriptions > survives a change of the configuration of its server',
    'gateway restart':
      'e2e/task-restarts > after a restart of the gateway, tasks of remote servers of 2026-07-28 go on',
    'kill -9': 'never: a remote server is not our child, and its sessions are opened anew',
    'second client': 'e2e/questions > what a server over HTTP asks outside of any call reaches',
    'second person': 'e2e/two-people > two people use one server, each with their own sign-in',
    'other era': 'e2e/eras > has a connection of the era of each client',
    'token refresh': 'e2e/two-people > a sign-in outlives a restart, a new key for what is stored',
    'server restart': and(
      'e2e/forgotten-sessions > a restarted server without a stream is greeted once',
      'e2e/faults > that forgets our session is greeted again, unnoticed',
    ),
    'trust change': FOLDER,
    replica: REPLICAS,
    script: 'e2e/suspended-scripts > goes on after a restart of the gateway, once',
    task: 'e2e/tasks > tasks of two servers with the same ids are never mixed',
    'full disk': 'never: a connection to a remote server writes nothing',
  },
  'APIs (OpenAPI)': {
    reload: 'e2e/api-gateway > takes a description that changes while a call is on its way',
    'gateway restart':
      'src/upstreams/openapi/create-openapi-service > remembers an imported description on disk',
    'kill -9':
      'src/upstreams/openapi/create-openapi-service > remembers an imported description on disk',
    'second client':
      'e2e/api-cache > shares an answer between agents only if it is public and no credential',
    'second person': 'e2e/keys-of-people > no cached answer outlives the key it was obtained with',
    'other era': 'e2e/exact-numbers > results of an API come back with every digit',
    'token refresh': 'never: an API is called with its own credential, not that of the session',
    'server restart': 'never: an API has neither a process of ours nor a session',
    'trust change':
      'src/cli/api/folder-packs.process > uses a trusted pack, until one of its files changes',
    replica: 'never: replicas call an API alike, and share only results by the key of every cache',
    script: 'e2e/exact-numbers > results of an API come back with every digit',
    task: 'e2e/api-gateway > offers a long call of an API as a task',
    'full disk':
      'src/upstreams/openapi/create-openapi-service > imports a description that the disk has no',
  },
  'built-ins (code, knowledge, traces)': {
    reload:
      'src/upstreams/in-process-close > a replaced server of this process finishes calls in flight',
    'gateway restart': 'e2e/knowledge > stops in the middle of a document on Ctrl-C, and goes on',
    'kill -9': 'attack/kills > round ${round}: no acknowledged trace is lost of',
    'second client': 'e2e/knowledge > serves its tools through the gateway, to each agent what its',
    'second person': 'e2e/dashboard-builtins > search code, documents and traces as an agent would',
    'other era': 'e2e/traces-tools > go once around, and every field of the API gets through',
    'token refresh': REFRESH,
    'server restart': 'e2e/front-doors/moods > %s answers in every mood of its %s',
    'trust change': and(
      'src/config/narrow-servers > do not take the place of built-ins before they are trusted',
      'src/cli/shared/serve/take-over > reads a file .env only after somebody has trusted',
    ),
    replica: 'database/jobs > two replicas do each job once, and one takes over what the other',
    script: 'e2e/knowledge > is ingested and searched by one script',
    task: 'e2e/knowledge > is ingested in a task, where that takes long',
    'full disk': FULL_DISK,
  },
  'resources, prompts, subscriptions': {
    reload: 'e2e/subscriptions > survives a change of the configuration of its server',
    'gateway restart': 'e2e/session-restart > clients go on with their sessions after the gateway',
    'kill -9': 'e2e/session-restart > clients go on with their sessions after the gateway',
    'second client': 'e2e/resources > tell their own subscribers',
    'second person': 'e2e/resources > are read by those who may use them only',
    'other era': 'e2e/resources > are never mixed, and both are reached',
    'token refresh':
      'e2e/session-refresh > the stream of a client of 2024 goes on with a refreshed',
    'server restart': 'e2e/subscriptions > of a %s client survives the restart of a %s server',
    'trust change': 'e2e/trust > subscriptions and tasks of a server end when its folder loses',
    replica: 'database/sessions > hears of changed lists and resources on its one stream',
    script: 'never: scripts call tools only',
    task: 'src/upstreams/expose/exposed-uris > answers prompts and finished tasks in the same way',
    'full disk': 'never: what is read or subscribed to is not stored',
  },
  tasks: {
    reload: 'e2e/tasks > a task belongs to its caller, and ends with its right to the tool',
    'gateway restart': 'e2e/kept-tasks > the result of a task is there after a restart',
    'kill -9': HOUR,
    'second client': 'e2e/tasks > a task goes on when the session of its client ends',
    'second person': RETURN,
    'other era': 'e2e/tasks > a client of 2025-11-25 gets tasks of a server of 2026-07-28',
    'token refresh': HOUR,
    'server restart': 'e2e/task-restarts > a task of a process that has ended has failed',
    'trust change': 'e2e/trust > subscriptions and tasks of a server end when its folder loses',
    replica: 'database/tasks > a task that was made at one replica is asked for at another',
    script: 'e2e/script-tasks > a script that asks is a task of its caller, which tasks/update',
    task: 'e2e/tasks > tasks of two servers with the same ids are never mixed',
    'full disk': FULL_DISK,
  },
  scripts: {
    reload: 'e2e/scripts > limit what a script may use, from the next script on',
    'gateway restart': 'e2e/suspended-scripts > goes on after a restart of the gateway, once',
    'kill -9': HOUR,
    'second client': 'e2e/scripts > keeps values behind handles that read_result reads, for its',
    'second person': RETURN,
    'other era': 'e2e/suspended-scripts > waits in the process for a client of the old era',
    'token refresh': HOUR,
    'server restart': 'journeys/upgraded-server > a server is upgraded under load',
    'trust change': 'journeys/working-day > a working day',
    replica: 'database/suspended-scripts > with %s, a script that asks on one replica goes on',
    script: 'e2e/saved-scripts > is called by other scripts, and every call of it is on record',
    task: 'e2e/script-tasks > the task of a script that asks outlives the gateway',
    'full disk': FULL_DISK,
  },
  'saved scripts': {
    reload: 'src/app/saved-scripts > notices what another process or a person saves',
    'gateway restart':
      'e2e/saved-scripts > is there after a restart, and gone where scripts are off or the name',
    'kill -9': 'never: a script is one file, which is replaced as a whole',
    'second client': 'e2e/saved-scripts > is under the rules of its server and its name',
    'second person': 'e2e/saved-scripts > is decided about on the dashboard, which shows its runs',
    'other era':
      'e2e/saved-scripts > is a tool like others: found, checked, and run with the rights',
    'token refresh': REFRESH,
    'server restart': 'never: they have no server outside of the gateway',
    'trust change': 'never: they are in the data folder, and a person approves each by its digest',
    replica: and(
      'database/saved-scripts > what is proposed on one replica and approved at a shell',
      'journeys/team-moves.database > a team that outgrows one machine',
    ),
    script: 'e2e/saved-scripts > only plans where the script that calls it does',
    task: 'e2e/suspended-scripts > goes on as a saved script too, called by itself or by another',
    'full disk': FULL_DISK,
  },
  'cache and handles': {
    reload:
      'e2e/reload > takes the stored results of a tool from an agent that may no longer use it',
    'gateway restart': 'never: results are in memory, and a handle says that its result is gone',
    'kill -9': HOUR,
    'second client': 'src/shaping/handles.process > tells another agent the same as for a handle',
    'second person': RETURN,
    'other era': 'e2e/cached-results > a result that is stored for a %s client reaches those',
    'token refresh': HOUR,
    'server restart':
      'e2e/cached-results > an answer that was stored before its server is restarted',
    'trust change':
      'e2e/reload > takes the stored results of a tool from an agent that may no longer use it',
    replica: REPLICAS,
    script: 'e2e/scripts > keeps values behind handles that read_result reads, for its',
    task: 'src/gateway/layers/cache-tasks > neither stores a task nor gives it to two callers',
    'full disk': FULL_DISK,
  },
  'rules, policy, trust': {
    reload: 'e2e/trust > a denial added to a trusted file applies while the gateway runs',
    'gateway restart': 'attack/trust > ${name}, in a gateway that starts',
    'kill -9': 'never: rules are files that the gateway only reads',
    'second client': 'e2e/policy > say the same in every list and for every call',
    'second person': 'e2e/sign-in > lets people of ours in, each with the rights of their groups',
    'other era': 'e2e/matrix > docs/reference/matrix.md names every cell',
    'token refresh':
      'e2e/session-refresh > a call that waits for its client goes on with a refreshed',
    'server restart': 'never: rules name servers and tools, whatever process answers',
    'trust change': 'e2e/trust > check, doctor and explain name the files left out',
    replica: 'database/shared-config > reaches every replica soon after the push',
    script: 'e2e/scripts > can do nothing that its agent could not',
    task: 'e2e/tasks > a task belongs to its caller, and ends with its right to the tool',
    'full disk':
      'never: rules are read, not written; `portolan trust` is a command like `secrets set`',
  },
  'folders of one person': {
    reload: 'e2e/denials-at-once > in an own folder, what is saved applies with its diff in the',
    'gateway restart':
      'src/config/trust/own-folders > what was saved is recorded with what is new, and the folder',
    'kill -9': 'src/config/trust/own-folders > what is saved applies after it was committed',
    'second client': 'never: each gateway of the data folder reads the same list',
    'second person': 'src/config/trust/own-folders > files and folders that others may write, and',
    'other era': 'never: files are read before any client is there',
    'token refresh': 'never: no credential has a part in it',
    'server restart': 'never: it decides about files, not about servers',
    'trust change': 'src/config/trust/own-folders > what git brings waits, and so does what is',
    replica: 'never: the files of a folder are those of one machine',
    script: 'never: no call of an agent decides about trust',
    task: 'never: no call of an agent decides about trust',
    'full disk': 'never: what is saved applies even if that cannot be recorded',
  },
  'sign-in and credentials': {
    reload: 'database/handles > a revoked key ends the handles it has minted within a second',
    'gateway restart': 'e2e/sign-in > remembers who has signed in when it is started again',
    'kill -9': REFRESH,
    'second client':
      'e2e/session-refresh > a sub-agent uses the session of the credential that it is sent with',
    'second person': 'attack/recreated-people > the second wim has no key',
    'other era': 'e2e/sign-in > takes a %s client from the bare address to its first call',
    'token refresh': REFRESH,
    'server restart': 'never: who signs in here is known without any server',
    'trust change': 'never: no file of a folder says who may sign in before it is trusted',
    replica: and(
      'database/sign-in > a client that signed in at one replica is known to the other',
      'journeys/team-moves.database > a team that outgrows one machine',
    ),
    script: 'e2e/scripts > has every call on record, with its agent and its parent',
    task: RETURN,
    'full disk': FULL_DISK,
  },
  secrets: {
    reload: and(
      'e2e/server-command > starts a server when its missing variable is stored',
      'journeys/changed-secret > a secret that is changed',
    ),
    'gateway restart':
      'e2e/two-people > a sign-in outlives a restart, a new key for what is stored',
    'kill -9': 'never: stored secrets and the vault are replaced as whole files',
    'second client': 'e2e/secrets > keeps what a server was sent out of its failures',
    'second person': 'e2e/keys-of-people > each person has their own key, process and answers',
    'other era': 'e2e/matrix > docs/reference/matrix.md names every cell',
    'token refresh': 'e2e/two-people > a sign-in outlives a restart, a new key for what is stored',
    'server restart': 'journeys/secret-of-a-vault > a secret of a vault',
    'trust change':
      'src/cli/api/folder-packs.process > fills no variable from the environment before the pack',
    replica: 'database/shared-config > keeps variables as they stand, for each replica to fill in',
    script: 'e2e/secrets > keeps what a server was sent out of a script that catches its failures',
    task: and(
      'e2e/secrets > keeps what a server was sent out of a task that fails',
      'src/upstreams/expose/expose > hides known values in why a task failed',
    ),
    'full disk': FULL_DISK,
  },
  'ask first': {
    reload: 'e2e/approvals > questions survive a restart, expire, and belong to the rule',
    'gateway restart':
      'e2e/approvals > questions survive a restart, expire, and belong to the rule',
    'kill -9': 'e2e/approvals > questions survive a restart, expire, and belong to the rule',
    'second client': 'e2e/approvals > a call of a client that cannot be asked is parked',
    'second person': 'src/gateway/approvals/who-may-answer > a person answers for themself',
    'other era': 'e2e/approvals > a modern client that can be asked shows the question',
    'token refresh': REFRESH,
    'server restart': 'never: nothing is sent before the answer, and the server is not asked',
    'trust change': 'src/gateway/agents/precedence > a group asks about what another rule allows',
    replica: 'src/storage/shared/approvals.database > are answered once and used once',
    script: 'e2e/approvals > calls of a script, resources and prompts are asked about',
    task: 'e2e/approvals > a client that knows tasks gets one, and its question',
    'full disk': 'never: a question that cannot be stored fails its call, before anything is sent',
  },
  dashboard: {
    reload: 'e2e/dashboard-api > shows the configuration with its history of reloads',
    'gateway restart': 'browser/nothing-yet > says that the gateway is gone, keeps what it showed',
    'kill -9': 'browser/nothing-yet > says that the gateway is gone, keeps what it showed',
    'second client': 'e2e/dashboard-calls > lets a viewer see that there was a call',
    'second person': 'e2e/keys-of-people > a person sees, begins and ends their own sign-in',
    'other era': 'never: the dashboard speaks HTTP of its own, not MCP',
    'token refresh': 'never: it has sessions by cookie, and tokens of clients open no dashboard',
    'server restart': 'e2e/server-output > starts a new process of that server, and of no other',
    'trust change':
      'browser/config > shows what waits for trust as `check` says it, with its diff, and trusts',
    replica: 'src/replicas/database/audit-index.database > adds up the calls of all replicas',
    script: 'browser/scripts > a proposal is read and approved here, and is a tool then',
    task: 'e2e/dashboard-calls > that became a task is a call, and each question about its task',
    'full disk': 'e2e/self-report > says at once that audit entries are lost, and is degraded',
  },
  'overrides of tools': {
    reload: 'e2e/overrides-changed > applies to the running server',
    'gateway restart': 'never: nothing is kept but the entry, which the next gateway reads',
    'kill -9': 'never: nothing is kept but the entry, which the next gateway reads',
    'second client': 'e2e/overrides > agents see the tools as the entries say',
    'second person': 'e2e/overrides-changed > a fixed value may be a key of the person who calls',
    'other era': 'e2e/overrides > calls reach the tool with the values that the entry gives',
    'token refresh': REFRESH,
    'server restart': 'never: they are applied to each listing, whichever process gave it',
    'trust change':
      'src/config/narrow-servers > hide at once the tools that a changed override hides',
    replica: 'never: replicas read the same entry, and nothing of it is shared otherwise',
    script: 'e2e/overrides > the discovery tools and scripts know the same names',
    task: 'never: a task begins with a call, whose arguments are sent by the same layer',
    'full disk': 'never: nothing is written',
  },
  'history and audit of the pages': {
    reload: 'src/telemetry/history/file-history.process > begins again with other prices',
    'gateway restart': 'e2e/dashboard-api > shows after a restart what was called before',
    'kill -9': 'src/telemetry/history/file-history.process > counts what every process has written',
    'second client': 'e2e/dashboard-audit > names the gateways that run alone on this machine',
    'second person': 'e2e/dashboard-audit > searches what was kept of arguments and results',
    'other era': 'never: the record is written by the chain, which both eras share',
    'token refresh': 'never: it reads what was recorded, in the name of nobody',
    'server restart': 'never: a server is a name in the record',
    'trust change': 'never: it says what was, by whatever rules it was then',
    replica: 'src/replicas/database/audit-index.database > adds up the calls of all replicas',
    script: 'e2e/dashboard-audit > shows a call of the past with its script',
    task: 'never: a task ends with a line of the record, as every call does',
    'full disk': 'e2e/self-report > says at once that audit entries are lost, and is degraded',
  },
  'tapes of servers': {
    reload: 'e2e/tapes-changes > a tape goes on over a reload, and ends readable when',
    'gateway restart':
      'e2e/tapes-changes > a tape is never overwritten, and one with a mistake says',
    'kill -9': 'e2e/tapes-changes > a tape goes on over a reload, and ends readable when',
    'second client': 'e2e/tapes > two clients get their own answers of a server that each has',
    'second person': 'src/upstreams/tapes/tapes > what people have of a server by their own',
    'other era': 'e2e/tapes > a tape answers clients of both eras with all that was recorded',
    'token refresh': REFRESH,
    'server restart': 'src/upstreams/tapes/tapes > failures of servers and of the gateway are',
    'trust change':
      'e2e/tapes-changes > a tape and a servers file that nobody has trusted start nothing',
    replica: 'never: a tape is a file of the one process that records or replays it',
    script:
      'e2e/tapes-changes > scripts and overrides apply to a tape, also of an entry whose variable',
    task: 'e2e/tapes-changes > tasks of a server end on the tape as they ended, for %s clients',
    'full disk': 'e2e/tapes-changes > a full disk ends the tape but no call, and is said',
  },
  toolsets: {
    reload: 'e2e/toolsets > sessions keep their toolset when it changes',
    'gateway restart': 'never: every request says its toolset in its address, or its bridge does',
    'kill -9': 'never: every request says its toolset in its address, or its bridge does',
    'second client': 'e2e/toolsets > the bridge of a client says which toolset it stands for',
    'second person': 'src/app/toolsets > the default of',
    'other era': 'e2e/toolsets > a toolset shows and allows its tools, and no others',
    'token refresh': REFRESH,
    'server restart': 'never: a toolset is a part of the rules, which a server does not see',
    'trust change': 'src/config/narrow > lose at once the tools that a changed file takes',
    replica: 'never: replicas read the same settings, and nothing of it is shared otherwise',
    script: 'e2e/toolsets > discovery, scripts and sub-agents stay in the toolset',
    task: 'never: a task is a call of an agent, whose limits came with its request',
    'full disk': 'never: nothing is written',
  },
  'folders of one process': {
    reload: and(
      'e2e/folders > nothing crosses between clients of one folder with different values',
      'e2e/folders > a folder whose entry changes leaves a shared server to the others',
      'src/app/folders > reloads the folder whose files changed, and no other',
    ),
    'gateway restart': 'never: a folder is opened again by its next client, and keeps nothing else',
    'kill -9': 'never: a folder is opened again by its next client, and keeps nothing else',
    'second client': 'e2e/folders > nothing crosses between clients of one folder with different',
    'second person':
      'src/app/upstreams/upstream-pool > two servers of one name have a sign-in each',
    'other era': 'e2e/eras > is one process for clients of both eras',
    'token refresh': REFRESH,
    'server restart': 'e2e/folders > restarting a shared server replaces it for all of its folders',
    'trust change':
      'e2e/folders > a folder that loses its trust loses a shared server, and the other folder',
    replica: 'never: folders beside the main one are for clients on this machine',
    script: 'e2e/folders > nothing crosses between two folders with servers of one name',
    task: 'e2e/folders > nothing crosses between two folders with servers of one name',
    'full disk': 'never: a folder stores nothing of its own',
  },
  'session of the dashboard': {
    reload: 'e2e/dashboard-link > the link of `portolan dashboard` signs one browser in',
    'gateway restart':
      'e2e/dashboard-link > a browser stays signed in when the gateway starts again',
    'kill -9': 'e2e/dashboard-link > a browser stays signed in when the gateway starts again',
    'second client':
      'browser/one-page > `portolan dashboard` shows the calls of all clients that share',
    'second person': 'attack/page-changes > another user who read the link in the list of',
    'other era': 'never: the dashboard speaks HTTP of its own, not MCP',
    'token refresh': 'never: a session ends after twelve hours, and a new link begins another',
    'server restart': 'e2e/dashboard-link > commands act on the gateway of their own data folder',
    'trust change': 'never: what a folder says has no part in it',
    replica: 'never: passes are for one data folder on one machine; replicas take keys',
    script: 'never: a script reaches no page',
    task: 'never: a task reaches no page',
    'full disk': 'never: nothing is stored but a secret of 32 bytes, once',
  },
  'servers changed on a page': {
    reload: 'browser/servers > gives a tool another name, hides it and shows it again',
    'gateway restart': 'never: the file is the only state, which the next gateway reads',
    'kill -9': 'never: the file is replaced as a whole, and a version holds what was before',
    'second client': 'never: clients get the new list as after any other reload',
    'second person': 'browser/servers > edits an entry as JSON, hides its secrets, and overwrites',
    'other era': 'never: an entry says nothing of the era of a client',
    'token refresh': 'never: an entry has no token; secrets in it stay as they were',
    'server restart': 'browser/servers > reviews what has changed at a server, with its diff',
    'trust change': 'e2e/dashboard-servers > refuses to change a file that nobody has trusted',
    replica: 'never: a configuration in the database is pushed, and pages refuse to change it',
    script: 'never: a script reaches no page',
    task: 'never: a task reaches no page',
    'full disk': 'never: a file that cannot be written fails the change, and stays as it was',
  },
  'tools run on a page': {
    reload: 'never: a run begins in the world of its moment, as every call does',
    'gateway restart': 'never: the page has no run of its own; the record has its call',
    'kill -9': 'never: the page has no run of its own; the record has its call',
    'second client': 'browser/run > runs as an agent of your choice, and shows the rule',
    'second person': 'e2e/dashboard-run > is for admins who have signed in, as themselves',
    'other era': 'never: the pages call within the gateway, and each server by its own era',
    'token refresh': REFRESH,
    'server restart': 'never: a run waits for the server, as every call does',
    'trust change': 'never: the rules in force decide each run',
    replica: 'never: the replica that shows the page makes the call',
    script: 'never: a saved script is a tool like any other, and a script reaches no page',
    task: 'never: the pages declare no tasks, so that a long call is waited for',
    'full disk': 'never: nothing is stored but the record of the call',
  },
  'history of the configuration': {
    reload: 'browser/history > shows what was changed by hand and by commands, and restores',
    'gateway restart': 'src/cli/history/history.process > tells what commands and people changed',
    'kill -9':
      'never: a version is one file, written whole after the change; the next sees the rest',
    'second client': 'src/cli/shared/files/change-files.process > does not write %s while another',
    'second person':
      'src/config/history/history > refuses a change that is based on another content',
    'other era': 'never: commands and pages change files, not MCP clients',
    'token refresh': 'never: no file of the configuration holds a token that is refreshed',
    'server restart': 'never: versions are of files, whatever process serves',
    'trust change': 'src/config/history/history > takes back a decision to trust that came later',
    replica: 'database/shared-config > reaches every replica soon after the push',
    script: 'never: a script changes no file of the configuration',
    task: 'never: a task changes no file of the configuration',
    'full disk': 'src/config/history/history > undoes a change that it cannot record',
  },
  'the gateway that clients of a person share': {
    reload: 'src/app/folders > reloads the folder whose files changed, and no other',
    'gateway restart': 'e2e/gateway-succession > a newer version takes the place of an older one',
    'kill -9': and(
      'e2e/shared-gateway > by kill -9 during a call costs that call alone, and is started',
      'src/local/bridge > opens the session again at the next gateway, and fails only what',
    ),
    'second client': 'e2e/shared-gateway > that start in the same moment start one gateway',
    'second person': 'attack/shared-gateway > another user cannot reach it',
    'other era': 'e2e/shared-gateway > share a gateway and its servers, whatever era they speak',
    'token refresh': 'never: a bridge says its key once, from the environment of its client',
    'server restart': 'e2e/folders > restarting a shared server replaces it for all of its folders',
    'trust change': FOLDER,
    replica: 'never: with a database or Redis it is a replica like any other',
    script: 'never: a script runs in the gateway, whatever its client came through',
    task: 'e2e/task-restarts > after a restart of the gateway, tasks of remote servers',
    'full disk': 'e2e/shared-gateway > where the disk is %s',
  },
}
