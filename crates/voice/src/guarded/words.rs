//! The words of guarded devices, by family and language, and their look-alikes.

/// Words that are guarded as a whole, lower-case: by subject in English, then by language.
pub(super) const WORDS: &[&str] = &[
    "lock locks unlock deadbolt bolt bolts latch door doors garage gate gates barrier turnstile hatch keypad opener",
    "alarm alarms siren sirens disarm arm safe vault",
    "valve valves shutoff stopcock gas oven stove stovetop cooktop cooker hob burner fireplace furnace boiler heater",
    "heaters breaker breakers mains kiln",
    "oxygen ventilator respirator cpap dialysis infusion defibrillator nebulizer medical",
    // German
    "tür türen tuer tueren tor tore pforte schranke schloss riegel tresor sirene ventil gashahn haupthahn wasserhahn",
    "hauptschalter sicherung sicherungen ofen backofen herd kochfeld kamin heizkessel kessel heizlüfter heizstrahler",
    "therme gastherme beatmung fensterantrieb",
    // French
    "porte portes portail portillon serrure verrou barrière alarme sirène vanne gaz disjoncteur chaudière cuisinière",
    "oxygène digicode",
    // Spanish
    "puerta puertas portón porton cerradura cerrojo garaje cochera alarma sirena válvula valvula caldera horno estufa",
    "disyuntor oxígeno oxigeno",
    // Italian and Portuguese
    "porta portone serratura cancello allarme valvola caldaia forno ossigeno cassaforte saracinesca",
    "portão portao fechadura garagem caldeira fogão fogao disjuntor oxigênio cofre",
    // Dutch, Swedish, Danish, Norwegian
    "poort kluis gaskraan fornuis ketel zuurstof dörr dør lås larm ugn kassaskåp",
    // Polish, Czech, Turkish
    "drzwi brama bramy zamek syrena zawór piec kocioł tlen dveře vrata zámek plyn kotel kapı kilit garaj",
    // Russian
    "дверь двери ворота замок калитка гараж засов сигнализация сирена клапан газ котёл котел печь плита духовка",
    "кислород сейф",
];

/// A compound with one of these at its start or end is guarded.
pub(super) const PARTS: &[&str] =
    &["lock", "door", "garage", "alarm", "tür", "tuer", "deur", "sauerstoff", "oxygen"];
/// A compound with one of these at its end is guarded.
pub(super) const ENDINGS: &str = "schloss riegel ventil tresor hoftor gartentor rolltor schiebetor einfahrtstor sirene kessel hahn öffner ofen";

/// Words that are guarded unless they are part of the name of a lamp: devices that heat, cook, pump, cool,
/// let in or cut the power.
pub(super) const HEADS: &[&str] = &[
    "heating radiator radiators sauna saunas jacuzzi grill grills barbecue bbq griddle smoker fryer fryers airfryer hotplate",
    "hotplates toaster toasters kettle kettles iron irons microwave",
    "sump insulin pacemaker medication medicine wheelchair stairlift elevator pump pumps faucet faucets hydrant sprinkler",
    "sprinklers generator inverter fuse fuses fusebox strongbox freezer freezers fridge fridges refrigerator",
    "entrance entrances entryway intercom shutter shutters skylight skylights",
    // German
    "heizung heizungen heizer radiatoren wärmepumpe waermepumpe wärmelampe waermelampe rotlichtlampe infrarotheizung elektrogrill",
    "gasgrill kontaktgrill fritteuse friteuse heißluftfritteuse kochplatte kochplatten herdplatte wasserkocher mikrowelle bügeleisen",
    "buegeleisen waffeleisen tauchsieder dampfgarer feuerschale feuerstelle elektroherd gasherd",
    "rauchmelder brandmelder feuermelder hitzemelder gasmelder wassermelder einbruchmelder notruf hausnotruf alarmanlage",
    "insulinpumpe medikamentenschrank medizinschrank arzneischrank beatmungsgerät dialysegerät pflegebett treppenlift aufzug",
    "fahrstuhl waffenschrank geldschrank hauptstrom sicherungskasten stromkasten notstrom wechselrichter kühlschrank kuehlschrank",
    "gefrierschrank gefriertruhe eingang ausgang sprechanlage türsprechanlage rollladen rolladen rollläden dachfenster oberlicht",
];
/// The same for the start of compounds: `Heizkörper`, `Saunaofen`.
pub(super) const STARTS: &str = "heiz sauna";
/// The same for the end of compounds: `Umwälzpumpe`, `Haupteingang`.
pub(super) const HEAD_ENDINGS: &str = "pumpe heizung eingang";
/// Nouns of harmless things that are named after such a place.
pub(super) const HARMLESS_NOUNS: &str = "light lights lamp lamps led leds lantern spot spots licht lichter lampe lampen leuchte \
                                         leuchten beleuchtung poster man music playlist speed";
/// Compounds with those starts and one of these endings are lamps.
pub(super) const HARMLESS_ENDINGS: &str =
    "licht lichter lampe lampen leuchte leuchten beleuchtung light lights lamp lamps";
/// Device names that end with one of these are guarded; in other texts the words are no evidence.
pub(super) const ENTRIES: &str = "entry entries";
/// Words that are guarded anywhere in a longer word: `goodnightunlockall`.
pub(super) const MIDDLES: &str = "lock door garage alarm disarm deadbolt oxygen sauerstoff entriegel aufschließ aufschliess haustür haustuer";
/// Words that contain one of them by coincidence.
pub(super) const HARMLESS_PARTS: &str =
    "clock block flock sherlock warlock hemlock wedlock indoor outdoor doorbell";

/// Words that start or end like guarded ones and mean something else.
pub(super) const HARMLESS: &str = "indoor indoors outdoor outdoors doorbell clock clocks block türkis türkise türkiser türkises \
                        tuerkis türklingel flaschenöffner sherlock warlock hemlock";

/// Pairs of words that are guarded together.
pub(super) const PAIRS: &[&str] = &[
    "security system",
    "security panel",
    "security mode",
    "water main",
    "main water",
    "main switch",
    "entry control",
    "user code",
    "user codes",
    "access control",
    "access code",
    "window covering",
    "window motor",
    "life support",
    "main power",
    "power main",
    "house power",
    "main supply",
    "fuse box",
    "water supply",
    "smoke detector",
    "smoke detectors",
    "smoke sensor",
    "fire detector",
    "fire suppression",
    "fire pit",
    "heat detector",
    "heat pump",
    "heat lamp",
    "leak detector",
    "leak sensor",
    "flood sensor",
    "flood detector",
    "carbon monoxide",
    "co detector",
    "co sensor",
    "panic button",
    "emergency button",
    "emergency call",
    "security camera",
    "security cameras",
    "baby monitor",
    "gun cabinet",
    "gun case",
    "gun rack",
    "gun room",
    "weapon cabinet",
    "medicine cabinet",
    "medication cabinet",
    "drug cabinet",
    "pill dispenser",
    "cash box",
    "strong box",
    "stair lift",
    "front entry",
    "main entry",
    "back entry",
    "rear entry",
    "side entry",
    "garden entry",
    "roof window",
    "hot plate",
    "hot plates",
    "hot tub",
    "steam room",
    "steam bath",
    "caja fuerte",
    "coffre fort",
];

/// Parts of texts in languages without spaces.
pub(super) const UNSPACED: &str = "门 門 锁 鎖 鍵 车库 車庫 警报 警報 报警 阀 閥 煤气 燃气 瓦斯 氧气 酸素 ドア ガレージ シャッター \
                        サイレン アラーム バルブ ガス 현관문 차고 잠금 도어락 밸브 경보";
