/** What replicas share beside their data. */
export interface SharedTables {
  api_keys: {
    id: string
    agent: string
    /** Of the whole secret, in hexadecimal: the secret itself is nowhere. */
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
    /** Byte for byte as it came, which is why this is text and not a JSON column. */
    result_json: string
    bytes: number
    expires_at: number
  }
  /** Scripts that wait for the answer of a person, and for a while what became of them. */
  suspended_scripts: {
    id: string
    owner: string
    /** Sealed: the whole script; null once it was continued, or it is too late. */
    image: string | null
    /** Sealed: the calls that it had made. */
    trail: string
    bytes: number
    created_at: number
    expires_at: number
    resumed_at: number | null
  }
  /** The names that clients were shown, as one text for each configuration. */
  given_names: { source: string; body: string; updated_at: number }
  /** Never changed, only added to: the highest version is the one in use. */
  config_versions: {
    version: number
    author: string
    message: string
    /** The Portolan that checked it. */
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
}
