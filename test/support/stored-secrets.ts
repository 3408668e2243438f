import { secretsText } from '../../src/config/secrets/stored-secrets.ts'
import type { TempFolder } from './temp-folder.ts'

/** Returns the stored secrets of a data folder, as the text of one `secrets.env`. */
export function storedSecrets(folder: Pick<TempFolder, 'file'>, home = 'data'): string {
  return secretsText(folder.file(home), { PORTOLAN_KEYRING: 'off' }) ?? ''
}
