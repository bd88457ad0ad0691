import type { CDPSession, Page } from 'playwright-core'

export interface VirtualAuthenticatorOptions {
  /** Whether it verifies the person, as a fingerprint reader does. */
  readonly verifiesUser?: boolean
  /** Whether it answers without waiting, as if the person touched it at once. */
  readonly userPresent?: boolean
  /** Whether a password manager can copy its passkeys to other devices. */
  readonly syncs?: boolean
  /** Whether it is part of the device, or a key that is plugged in. */
  readonly transport?: 'internal' | 'usb'
}

/** A passkey as the authenticator keeps it. */
export interface StoredPasskey {
  readonly credentialId: string
  readonly signCount: number
  readonly privateKey: string
  readonly rpId?: string
  readonly userHandle?: string
}

/** An authenticator of Chromium itself, which signs as a real one does (WebAuthn Level 3 section 11). */
export async function addAuthenticator(page: Page, options: VirtualAuthenticatorOptions = {}) {
  const { verifiesUser = true, userPresent = true, syncs = false, transport = 'internal' } = options
  const cdp: CDPSession = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport,
      hasResidentKey: true,
      hasUserVerification: verifiesUser,
      isUserVerified: verifiesUser,
      automaticPresenceSimulation: userPresent,
      defaultBackupEligibility: syncs,
    },
  })
  return {
    cdp,
    authenticatorId,
    passkeys: async (): Promise<readonly StoredPasskey[]> =>
      (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
    /** Whether the passkey was copied to other devices. */
    setBackup: (credentialId: string, backupState: boolean) =>
      cdp.send('WebAuthn.setCredentialProperties', { authenticatorId, credentialId, backupState }),
    /** Whether it verifies the person from now on. */
    setVerifies: (isUserVerified: boolean) => cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
    setPresent: (enabled: boolean) => cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled }),
  }
}
