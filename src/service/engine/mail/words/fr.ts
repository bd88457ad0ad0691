import type { MailWords } from './en.ts'

export const fr: MailWords = {
  code: {
    headline: (place) => `Votre code pour ${place}`,
    use: (minutes) =>
      `Tapez-le sur la page où vous l’avez demandé. Il sert une seule fois, pendant ${minutes} minutes.`,
    warning: 'Si vous ne l’avez pas demandé, changez de mot de passe.',
  },
  changes: {
    device_added: (place) => `${place} : un appareil a été ajouté`,
    device_replaced: (place) => `${place} : votre appareil a été remplacé`,
    device_removed: (place) => `${place} : un appareil a été retiré`,
    app_added: (place) => `${place} : une application d’authentification a été ajoutée`,
    app_replaced: (place) => `${place} : votre application d’authentification a été remplacée`,
    app_removed: (place) => `${place} : votre application d’authentification a été retirée`,
    hardware_added: (place) => `${place} : un générateur de codes a été ajouté`,
    hardware_removed: (place) => `${place} : votre générateur de codes a été retiré`,
    passkey_added: (place) => `${place} : une clé d’accès a été ajoutée`,
    passkey_removed: (place) => `${place} : une clé d’accès a été retirée`,
    codes_made: (place) => `${place} : de nouveaux codes de récupération ont été créés`,
    codes_removed: (place) => `${place} : des codes de récupération ont été supprimés`,
    unlocked: (place) => `${place} : vos codes et vos demandes de connexion ont été débloqués`,
    signed_out: (place) => `${place} : vous avez été déconnecté de toutes les applications`,
    browser_kept: (place) => `${place} : un navigateur a été ajouté`,
    reset: (place) => `${place} : vos seconds facteurs ont été réinitialisés`,
  },
  reported: {
    headline: (place) => `Vous avez signalé une connexion à ${place}`,
    sentence:
      'Personne n’est entré. Pendant 15 minutes aucune demande ne vous parvient ; connectez-vous avec un code en attendant.',
    warning: 'Quelqu’un connaît peut-être votre mot de passe : changez-le.',
  },
  locked: {
    headline: (place) => `Vos codes pour ${place} sont bloqués`,
    sentence: 'Trop de codes erronés ont été saisis.',
    until: (time) => `Les codes fonctionneront de nouveau le ${time}.`,
    unlock: 'Seul votre administrateur peut les débloquer.',
    warning: 'Si ce n’était pas vous, quelqu’un connaît peut-être votre mot de passe : changez-le.',
  },
  caller: {
    headline: (place) => `Quelqu’un appelle peut-être votre assistance au sujet de ${place}`,
    sentence: (user) =>
      `L’assistance a demandé à ${user} si l’appel venait bien de cette personne, et la réponse était non.`,
    blocked:
      'L’assistance ne peut rien modifier pour cet utilisateur pendant 24 heures. Les propriétaires et les administrateurs le peuvent.',
    warning: 'Appelez l’utilisateur à un numéro que vous connaissez déjà.',
  },
  disowned: {
    headline: (place) => `Quelqu’un chez ${place} dit : ce n’était pas moi`,
    sentence: (user) => `${user} a reçu un e-mail au sujet d’un changement et a répondu que ce n’était pas son fait.`,
    done: 'Les nouvelles demandes à cette personne sont en pause pendant 15 minutes, et elle a été déconnectée de toutes les applications.',
  },
  notMe: {
    link: 'Ce n’était pas moi',
    question: 'Était-ce vous ?',
    effect:
      'Sinon, appuyez sur le bouton. Les nouvelles demandes à vos appareils sont alors en pause pendant 15 minutes, vous devez vous reconnecter à toutes les applications, et votre administrateur est prévenu. Vos appareils, vos codes et vos navigateurs gardés restent tels quels.',
    close: 'Si c’était vous, fermez cette page.',
    asksNothing: 'Cette page ne demande ni mot de passe ni code.',
    done: 'Votre administrateur est prévenu',
    doneSentence:
      'Les nouvelles demandes sont en pause pendant 15 minutes, et vous devez vous reconnecter à toutes les applications. Pendant la pause, vous pouvez vous connecter avec un code.',
    next: 'Quelqu’un connaît peut-être votre mot de passe : changez-le vite.',
    over: 'Ce lien ne fonctionne plus',
    overSentence:
      'Il fonctionne pendant sept jours. Si quelque chose ne venait pas de vous, changez votre mot de passe et prévenez votre administrateur.',
    later: 'Le service ne répond pas. Réessayez dans un instant.',
  },
  enrollment: {
    headline: (place) => `Configurez votre connexion à ${place}`,
    first: 'Ouvrez ce lien sur votre téléphone. Il configure l’appareil qui confirmera désormais vos connexions.',
    another: 'Ouvrez ce lien sur votre téléphone. Il configure un autre appareil pour confirmer vos connexions.',
    button: 'Configurer cet appareil',
    scan: 'Vous lisez ceci sur un ordinateur ? Scannez le code avec l’appareil photo de votre téléphone.',
    until: (time) => `Le lien fonctionne une seule fois, jusqu’au ${time}.`,
    warning: 'Ne transférez pas cet e-mail : toute personne qui a le lien peut configurer un appareil en votre nom.',
  },
  addressChanged: {
    headline: (place) => `${place} : votre adresse e-mail a été modifiée`,
    sentence:
      'Désormais, les e-mails partent à la nouvelle adresse. Les liens et les codes envoyés à celle-ci ne fonctionnent plus.',
  },
  bulk: {
    headline: (place) => `De nombreux utilisateurs de ${place} sont en cours de modification`,
    sentence: (name, people) => `${name} a lancé une action sur ${people} utilisateurs.`,
    total: (name, people) => `En 24 heures, ${name} a agi sur ${people} utilisateurs.`,
    warning: 'Si c’est inattendu, annulez-la dans la console : Personnes, Actions groupées.',
    revoke: 'Si c’est inattendu, révoquez son accès dans la console : Administrateurs.',
  },
  handedCode: {
    you: (place) => `${place} : un code de récupération a été créé pour vous`,
    help_desk: (place) => `${place} : l’assistance a créé un code de récupération pour vous`,
    administrator: (place) => `${place} : votre administrateur a créé un code de récupération pour vous`,
    app: (place) => `${place} : un code de récupération a été créé pour vous`,
  },
  facts: {
    device: (name) => `Appareil : ${name}`,
    browser: (name) => `Navigateur : ${name}`,
    place: (name) => `Lieu : ${name}`,
    by: (author) => `Par : ${author}`,
    authors: { you: 'vous', help_desk: 'l’assistance', administrator: 'un administrateur', app: 'l’application' },
  },
  time: (time) => `Date : ${time}`,
  tell: 'Si ce n’était pas vous, prévenez votre administrateur.',
}
