import type { Passkey } from '../../../contract/passkeys.ts'
import type { PasskeyRow } from '../factors/possessions.ts'

export function passkeyView(row: Omit<PasskeyRow, 'sequence'>): Passkey {
  return {
    id: row.id,
    credentialId: row.credentialId,
    rpId: row.rpId,
    name: row.name,
    syncable: row.syncable === 1,
    synced: row.synced === 1,
    createdAt: row.createdAt,
    lastUsedAt: row.lastUsedAt ?? undefined,
  }
}

/** A passkey as the options of a ceremony name it. */
export function descriptorOf({ credentialId, transports }: Pick<PasskeyRow, 'credentialId' | 'transports'>) {
  return { id: credentialId, type: 'public-key', transports: JSON.parse(transports) as string[] } as const
}
