import { ApiError } from '../api-error.ts'
import { scanContent } from '../rules/scan-content.ts'

/** Throws if any field has secrets or personal data; reports only their types, never the text. */
export function refuseSensitive(content: unknown): void {
  const { secrets, personalData } = scanContent(content)
  if (secrets.length > 0)
    throw new ApiError(
      422,
      `Content rejected: Potential secret(s) detected in submitted content: ${secrets.join(', ')}. Remove credentials before submitting.`,
      { extra: { secret_types: secrets } },
    )
  if (personalData.length > 0)
    throw new ApiError(
      422,
      `Content rejected: Personal data detected in submitted content: ${personalData.join(', ')}. Replace it by a placeholder such as user@example.com or ~/project.`,
      { extra: { personal_data_types: personalData } },
    )
}
