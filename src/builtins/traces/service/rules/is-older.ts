const VERSION = /^\D{0,2}(\d{1,6})(?:\.(\d{1,6}))?/

/** Whether a version lies behind another in its major or minor number; what cannot be read does not. */
export function isOlder(version: string, latest: string): boolean {
  const [mine, theirs] = [VERSION.exec(version), VERSION.exec(latest)]
  if (!mine || !theirs) return false
  const major = Number(mine[1]) - Number(theirs[1])
  if (major !== 0) return major < 0
  // `5` alone speaks of every minor version.
  return mine[2] !== undefined && Number(mine[2]) < Number(theirs[2] ?? 0)
}
