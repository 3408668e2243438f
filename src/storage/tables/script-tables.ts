export interface ScriptTables {
  /** Saved scripts, each as the text of a file. */
  script_files: { file: string; text: string }
  // Written by earlier versions; what is in use is brought over.
  saved_scripts: {
    name: string
    /** The version that calls run. */
    active_version: number | null
  }
  saved_script_versions: {
    name: string
    version: number
    description: string
    input_schema_json: string
    source: string
    state: string
    author: string
    created_at: number
    decided_by: string | null
    decided_at: number | null
  }
}
