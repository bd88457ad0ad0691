import type { MailWords } from './en.ts'

export const ar: MailWords = {
  code: {
    headline: (place) => `رمزك لتطبيق ${place}`,
    use: (minutes) => `اكتبه في الصفحة التي طلبته فيها. يعمل مرة واحدة، لمدة ${minutes} دقائق.`,
    warning: 'إن لم تطلبه أنت، فغيِّر كلمة المرور.',
  },
  changes: {
    device_added: (place) => `${place}: أُضيف جهاز`,
    device_replaced: (place) => `${place}: استُبدل جهازك`,
    device_removed: (place) => `${place}: أُزيل جهاز`,
    app_added: (place) => `${place}: أُضيف تطبيق مصادقة`,
    app_replaced: (place) => `${place}: استُبدل تطبيق المصادقة`,
    app_removed: (place) => `${place}: أُزيل تطبيق المصادقة`,
    hardware_added: (place) => `${place}: أُضيف مولِّد رموز`,
    hardware_removed: (place) => `${place}: أُزيل مولِّد الرموز`,
    passkey_added: (place) => `${place}: أُضيف مفتاح مرور`,
    passkey_removed: (place) => `${place}: أُزيل مفتاح مرور`,
    codes_made: (place) => `${place}: أُنشئت رموز استرداد جديدة`,
    codes_removed: (place) => `${place}: أُزيلت رموز استرداد`,
    browser_kept: (place) => `${place}: أُضيف متصفح`,
    reset: (place) => `${place}: أُعيد ضبط وسائل التحقق الثانية لديك`,
  },
  reported: {
    headline: (place) => `أبلغت عن تسجيل دخول إلى ${place}`,
    sentence: 'لم يدخل أحد. لن يصلك أي طلب لمدة 15 دقيقة؛ حتى ذلك الحين سجِّل الدخول برمز.',
    warning: 'ربما يعرف أحد كلمة المرور: غيِّرها.',
  },
  locked: {
    headline: (place) => `رموزك لتطبيق ${place} مقفلة`,
    sentence: 'كُتبت رموز خاطئة كثيرة.',
    until: (time) => `ستعمل الرموز من جديد في ${time}.`,
    unlock: 'لا يمكن فك القفل إلا للمسؤول.',
    warning: 'إن لم تكن أنت، فربما يعرف أحد كلمة المرور: غيِّرها.',
  },
  caller: {
    headline: (place) => `قد يكون شخص ما يتصل بمكتب المساعدة بشأن ${place}`,
    sentence: (user) => `سأل مكتب المساعدة ${user} عمّا إذا كانت المكالمة منه، وكان الجواب لا.`,
    blocked: 'لا يستطيع مكتب المساعدة تغيير أي شيء لهذا المستخدم لمدة 24 ساعة. يستطيع المالكون والمسؤولون ذلك.',
    warning: 'اتصل بالمستخدم على رقم تعرفه مسبقًا.',
  },
  enrollment: {
    headline: (place) => `جهّز تسجيل دخولك إلى ${place}`,
    first: 'افتح هذا الرابط على هاتفك. سيُجهَّز به الجهاز الذي يؤكد عمليات تسجيل دخولك من الآن فصاعدًا.',
    another: 'افتح هذا الرابط على هاتفك. سيُجهَّز به جهاز آخر يؤكد عمليات تسجيل دخولك.',
    button: 'تجهيز هذا الجهاز',
    scan: 'هل تقرأ هذه الرسالة على حاسوب؟ امسح الرمز بكاميرا هاتفك.',
    until: (time) => `يعمل الرابط مرة واحدة، حتى ${time}.`,
    warning: 'لا تُعِد توجيه هذه الرسالة: فمن لديه الرابط يستطيع تجهيز جهاز باسمك.',
  },
  addressChanged: {
    headline: (place) => `تغيّر عنوان بريدك الإلكتروني لدى ${place}`,
    sentence: 'من الآن تصل الرسائل إلى العنوان الجديد. الروابط والرموز التي أُرسلت إلى هذا العنوان لم تعد تعمل.',
  },
  bulk: {
    headline: (place) => `يجري تغيير كثير من مستخدمي ${place}`,
    sentence: (name, people) => `بدأ ${name} إجراءً على ${people} من المستخدمين.`,
    total: (name, people) => `خلال 24 ساعة أجرى ${name} إجراءات على ${people} من المستخدمين.`,
    warning: 'إن لم تكن تتوقع ذلك فألغِه في وحدة التحكم: الأشخاص، الإجراءات الجماعية.',
  },
  time: (time) => `الوقت: ${time}`,
  tell: 'إن لم تكن أنت، فأخبِر المسؤول.',
}
