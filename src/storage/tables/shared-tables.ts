/** Data that replicas share. */
export interface SharedTables {
  api_keys: {
    id: string
    agent: string
    /** The hash of the whole secret, in hexadecimal; the secret itself is not stored. */
    sha256: string
    role: string | null
    created_at: number
    expires_at: number | null
    revoked_at: number | null
  }
  /** Sealed where the replicas have a key for it. */
  secrets: { name: string; value: string; updated_at: number }
  kept_results: {
    handle: string
    agent: string
    /** Text and not a JSON column, to keep the result byte for byte. */
    result_json: string
    bytes: number
    expires_at: number
    /** What gave it; null for the gateway's own tools. A resource or a prompt has no tool. */
    server: string | null
    tool: string | null
  }
  /** Scripts that wait for a person's answer, and for a while their outcome. */
  suspended_scripts: {
    id: string
    owner: string
    /** Sealed: the whole script; null once it was continued or has expired. */
    image: string | null
    /** Sealed: the calls that it has made. */
    trail: string
    bytes: number
    created_at: number
    expires_at: number
    resumed_at: number | null
  }
  /** Questions about calls, and their answers. */
  approvals: {
    id: string
    state: 'pending' | 'approved' | 'denied' | 'used' | 'expired'
    /** The digest of the call that it is for. */
    call_bond: string
    /** The digest of the tool and the session, for an approval of all its calls. */
    session_bond: string
    /** `call_bond` while the question waits, so that one call has one question. */
    waiting_bond: string | null
    agent: string
    /** Sealed JSON: what the person is shown. */
    question: string
    scope: string | null
    reason: string | null
    answered_by: string | null
    via: string | null
    created_at: number
    answered_at: number | null
    expires_at: number
    used_by: string | null
  }
  /** Rows are only added, never changed; the highest version is in use. */
  config_versions: {
    version: number
    author: string
    message: string
    /** The Portolan version that checked it. */
    pushed_by: string
    created_at: number
    /** The texts of the files; null where the version has no such file. */
    mcp: string | null
    rules: string | null
    settings: string | null
  }
  audit_entries: {
    at: number
    id: string
    agent: string | null
    server: string | null
    tool: string | null
    decision: string
    line: string
  }
  audit_usage: {
    span: string
    at: number
    kind: string
    name: string
    calls: number
    denied: number
    failed: number
    hits: number
    misses: number
    tokens: number
    cached_tokens: number
    saved_tokens: number
    lists: number
    list_chars: number
    ms: number
    money: number
  }
}
