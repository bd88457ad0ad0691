import type { ServiceHandle } from '../../src/service-handle.ts'
import { createClient } from '../../src/client/client.ts'

/** Adds a user to the service of an app before the first sign-in, as an administrator does. */
export async function addMember(service: ServiceHandle, username: string) {
  const { baseUrl, apiKey, domainId, fetch } = await service.connect()
  const client = createClient({ baseUrl, apiKey, fetch })
  const { id } = await client.users.create({ username, name: username, email: 'person@example.com' })
  await client.domains.addUser(domainId, id)
  return { client, id, domainId }
}
