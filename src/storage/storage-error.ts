/** What a person can do something about: its message is shown without a stack. */
export class StorageError extends Error {
  override readonly name = 'StorageError'
}
