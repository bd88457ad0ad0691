/** Whether this device can keep a passkey: only such users are offered one. */
export async function canKeepPasskey(): Promise<boolean> {
  const { PublicKeyCredential: credentials } = globalThis as { PublicKeyCredential?: typeof PublicKeyCredential }
  try {
    return (await credentials?.isUserVerifyingPlatformAuthenticatorAvailable()) ?? false
  } catch {
    return false
  }
}

/** Tells the forms that lead on to the app whether this device can. */
export async function notePasskeySupport(): Promise<void> {
  const forms = [...document.querySelectorAll<HTMLFormElement>('form[action$="/code"],form[action$="/complete"]')]
  if (forms.length === 0 || !(await canKeepPasskey())) return
  for (const form of forms) {
    form.append(Object.assign(document.createElement('input'), { type: 'hidden', name: 'passkeys', value: 'yes' }))
  }
}
