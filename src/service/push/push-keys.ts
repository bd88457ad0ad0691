import type { Queryable } from '../store/schema.ts'
import { pushKey } from '../store/pushes.ts'
import { pushKeyRecord as record } from '../store/sealed-values.ts'
import type { Secrets } from '../sealing/secrets.ts'
import type { PushKeys, WebPush } from './web-push.ts'

/** The pair of this service: made when it first starts, whichever node that is, and the same ever after. */
export async function openPushKeys(
  { db, secrets, webPush }: { db: Queryable; secrets: Secrets; webPush: WebPush },
  subject: string,
): Promise<PushKeys> {
  const made = webPush.newPair()
  const kept = await pushKey(db, { ...made, privateKey: secrets.seal(made.privateKey, record) })
  return { publicKey: kept.publicKey, privateKey: secrets.open(kept.privateKey, record), subject }
}
