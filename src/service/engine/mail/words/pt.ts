import type { MailWords } from './en.ts'

export const pt: MailWords = {
  code: {
    headline: (place) => `Seu código para ${place}`,
    use: (minutes) => `Digite-o na página em que você o pediu. Ele vale uma vez, por ${minutes} minutos.`,
    warning: 'Se não foi você quem pediu, troque a sua senha.',
  },
  changes: {
    device_added: (place) => `${place}: foi adicionado um dispositivo`,
    device_replaced: (place) => `${place}: o seu dispositivo foi substituído`,
    device_removed: (place) => `${place}: um dispositivo foi removido`,
    app_added: (place) => `${place}: foi adicionado um app de autenticação`,
    app_replaced: (place) => `${place}: o seu app de autenticação foi substituído`,
    app_removed: (place) => `${place}: o seu app de autenticação foi removido`,
    hardware_added: (place) => `${place}: foi adicionado um gerador de códigos`,
    hardware_removed: (place) => `${place}: o seu gerador de códigos foi removido`,
    passkey_added: (place) => `${place}: foi adicionada uma chave de acesso`,
    passkey_removed: (place) => `${place}: uma chave de acesso foi removida`,
    codes_made: (place) => `${place}: foram criados novos códigos de recuperação`,
    codes_removed: (place) => `${place}: foram removidos códigos de recuperação`,
    unlocked: (place) => `${place}: os seus códigos e solicitações de login foram desbloqueados`,
    signed_out: (place) => `${place}: você saiu de todos os apps`,
    browser_kept: (place) => `${place}: foi adicionado um navegador`,
    reset: (place) => `${place}: os seus segundos fatores foram redefinidos`,
  },
  reported: {
    headline: (place) => `Você denunciou um login em ${place}`,
    sentence:
      'Ninguém entrou. Novas solicitações ficam suspensas por 15 minutos. Até lá, você pode entrar com um código.',
    warning: 'Talvez alguém saiba a sua senha: troque-a.',
  },
  locked: {
    headline: (place) => `Os seus códigos para ${place} estão bloqueados`,
    sentence: 'Foram digitados códigos errados demais.',
    until: (time) => `Os códigos voltam a funcionar em ${time}.`,
    unlock: 'Só o seu administrador pode desbloqueá-los.',
    warning: 'Se não foi você, talvez alguém saiba a sua senha: troque-a.',
  },
  caller: {
    headline: (place) => `Alguém pode estar ligando para o seu suporte sobre ${place}`,
    sentence: (user) => `O suporte perguntou a ${user} se a ligação era dessa pessoa, e a resposta foi não.`,
    blocked: 'O suporte não pode mudar nada deste usuário por 24 horas. Proprietários e administradores podem.',
    warning: 'Ligue para o usuário em um número que você já conhece.',
  },
  disowned: {
    headline: (place) => `Alguém em ${place} diz: não fui eu`,
    sentence: (user) => `${user} recebeu um e-mail sobre uma mudança e respondeu que não fez isso.`,
    done: 'Novas solicitações a esta pessoa ficam em pausa por 15 minutos, e ela foi desconectada de todos os apps.',
  },
  notMe: {
    link: 'Não fui eu',
    question: 'Foi você?',
    effect:
      'Se não, pressione o botão. Novas solicitações aos seus dispositivos ficam então em pausa por 15 minutos, você precisa entrar de novo em todos os apps, e seu administrador é avisado. Seus dispositivos, códigos e navegadores mantidos continuam como estão.',
    close: 'Se foi você, feche esta página.',
    asksNothing: 'Esta página não pede senha nem código.',
    done: 'Seu administrador foi avisado',
    doneSentence:
      'Novas solicitações ficam em pausa por 15 minutos, e você precisa entrar de novo em todos os apps. Durante a pausa, você pode entrar com um código.',
    next: 'Talvez alguém saiba a sua senha: troque-a logo.',
    over: 'Este link não funciona mais',
    overSentence:
      'Ele funciona por sete dias. Se algo não foi feito por você, troque sua senha e avise seu administrador.',
    later: 'O serviço não responde. Tente de novo em instantes.',
  },
  enrollment: {
    headline: (place) => `Configure seu acesso a ${place}`,
    first: 'Abra este link no seu celular. Ele configura o dispositivo que passa a confirmar seus acessos.',
    another: 'Abra este link no seu celular. Ele configura outro dispositivo para confirmar seus acessos.',
    button: 'Configurar este dispositivo',
    scan: 'Está lendo isto em um computador? Escaneie o código com a câmera do seu celular.',
    until: (time) => `O link funciona uma única vez, até ${time}.`,
    warning: 'Não encaminhe este e-mail: quem tiver o link pode configurar um dispositivo em seu nome.',
  },
  addressChanged: {
    headline: (place) => `${place}: seu endereço de e-mail foi alterado`,
    sentence:
      'A partir de agora, os e-mails vão para o novo endereço. Links e códigos enviados a este não funcionam mais.',
  },
  bulk: {
    headline: (place) => `Muitos usuários de ${place} estão sendo alterados`,
    sentence: (name, people) => `${name} iniciou uma ação sobre ${people} usuários.`,
    total: (name, people) => `Em 24 horas, ${name} agiu sobre ${people} usuários.`,
    warning: 'Se você não esperava isso, cancele no painel: Pessoas, Ações em massa.',
    revoke: 'Se você não esperava isso, revogue o acesso no painel: Administradores.',
  },
  handedCode: {
    you: (place) => `${place}: foi criado um código de recuperação para você`,
    help_desk: (place) => `${place}: o suporte criou um código de recuperação para você`,
    administrator: (place) => `${place}: o seu administrador criou um código de recuperação para você`,
    app: (place) => `${place}: foi criado um código de recuperação para você`,
  },
  facts: {
    device: (name) => `Dispositivo: ${name}`,
    browser: (name) => `Navegador: ${name}`,
    place: (name) => `Local: ${name}`,
    by: (author) => `Por: ${author}`,
    authors: { you: 'você', help_desk: 'o suporte', administrator: 'um administrador', app: 'o app' },
  },
  time: (time) => `Data: ${time}`,
  tell: 'Se não foi você, avise o seu administrador.',
}
