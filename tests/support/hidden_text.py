"""Ways to hide text on a page, and visible text that resembles them; `{}` stands for the text."""

BOX = "<div style='position:relative'>{}</div>"
COVER = "position:absolute;inset:0;background:#fff"
WHITE_PIXEL = "data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 width=%229%22 height=%229%22%3E%3Crect width=%229%22 height=%229%22 fill=%22white%22/%3E%3C/svg%3E"
CLEAR_PIXEL = "data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 width=%229%22 height=%229%22/%3E"
WHITE_GIF = "data:image/gif;base64,R0lGODlhAQABAIAAAP///////yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw=="
CLEAR_GIF = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"


def boxed(markup: str) -> str:
    """Return *markup* inside its own containing block."""
    return BOX.replace("{}", markup)


HIDDEN = {
    # Not rendered.
    "display": "<p style='display:none'>{}</p>",
    "formula": "<p style='color:#fff'><math><mtext>{}</mtext></math></p>",
    "formula next to a small drawing": "<p><span><b aria-hidden=true>x</b><span hidden><math><mtext>{}</mtext></math></span></span></p>",
    "hidden attribute": "<p hidden>{}</p>",
    "hidden until found": "<p hidden=until-found>{}</p>",
    "visibility": "<p style='visibility:hidden'>{}</p>",
    "collapse": "<p style='visibility:collapse'>{}</p>",
    "content visibility": "<div style='content-visibility:hidden'><p>{}</p></div>",
    "hidden formula": "<mjx-container style='visibility:hidden'><mjx-math data-latex='{}'>x</mjx-math></mjx-container>",
    "closed details": "<details><summary>more</summary><p>{}</p></details>",
    "closed details without elements": "<details><summary>more</summary>{}</details>",
    "closed dialog": "<dialog><p>{}</p></dialog>",
    "closed popover": "<div popover><p>{}</p></div>",
    "noscript": "<noscript><p>{}</p></noscript>",
    "template": "<template><p>{}</p></template>",
    "frame without width": "<iframe style='width:0;height:0;border:0' srcdoc='<p>{}</p>'></iframe>",
    "frame of a pixel": "<iframe style='width:1px;height:1px;border:0' srcdoc='<p>{}</p>'></iframe>",
    "frame with opacity": "<iframe style='opacity:0' srcdoc='<p>{}</p>'></iframe>",
    "frame below a box": boxed(f"<iframe srcdoc='<p>{{}}</p>'></iframe><div style='{COVER}'></div>"),
    "frame of a few pixels": "<iframe style='width:300px;height:3px;border:0' srcdoc='<p>{}</p>'></iframe>",
    # Too transparent.
    "opacity": "<p style='opacity:0'>{}</p>",
    "nested opacity": "<div style='opacity:.2'><p style='opacity:.2'>{}</p></div>",
    "low opacity": "<p style='opacity:.08'>{}</p>",
    "filter": "<p style='filter:opacity(0)'>{}</p>",
    "filter around": "<div style='filter:opacity(3%)'><p>{}</p></div>",
    "filter and opacity": "<div style='filter:opacity(.25)'><p style='opacity:.25'>{}</p></div>",
    "several filters": "<p style='filter:grayscale(1) opacity(0)'>{}</p>",
    "blur": "<p style='filter:blur(40px)'>{}</p>",
    "brightened": "<p style='filter:brightness(0) invert(1)'>{}</p>",
    "inverted": "<p style='filter:invert(1)'>{}</p>",
    "transparent": "<p style='color:transparent'>{}</p>",
    "low alpha": "<p style='color:rgb(0 0 0 / 8%)'>{}</p>",
    "low alpha on a picture": "<p style='background:linear-gradient(90deg,red,blue);color:rgb(255 255 255 / .05)'>{}</p>",
    "alpha and opacity": "<p style='opacity:.3;color:rgb(0 0 0 / 25%)'>{}</p>",
    "low alpha in oklch": "<p style='color:oklch(0 0 0 / .04)'>{}</p>",
    "text fill": "<p style='-webkit-text-fill-color:transparent'>{}</p>",
    "mask of nothing": "<p style='mask:linear-gradient(transparent,transparent)'>{}</p>",
    "mask around": "<div style='-webkit-mask-image:linear-gradient(rgb(0 0 0 / 0),rgb(0 0 0 / .05))'><p>{}</p></div>",
    "mask of no size": "<p style='mask:linear-gradient(#000,#000) 0 0/1px 1px no-repeat'>{}</p>",
    "mask that is missing": "<p style='mask:url(#no-such-mask)'>{}</p>",
    "mask of a clear picture": f"<p style='mask:url(\"{CLEAR_PIXEL}\")'>{{}}</p>",
    "mask by luminance": "<p style='mask:linear-gradient(#000,#000);mask-mode:luminance'>{}</p>",
    # Too small.
    "font": "<p style='font-size:0'>{}</p>",
    "tiny letters": "<p style='font-size:1px'>{}</p>",
    "scaled letters": "<p style='transform:scale(.01)'>{}</p>",
    "scale property": "<p style='scale:.01'>{}</p>",
    "zoomed letters": "<p style='zoom:.05'>{}</p>",
    "turned away": "<p style='transform:rotateY(90deg)'>{}</p>",
    "nearly turned away": "<p style='transform:rotateY(89.9deg)'>{}</p>",
    "back of a card": "<p style='transform:rotateY(180deg);backface-visibility:hidden'>{}</p>",
    "letters on each other": "<p style='letter-spacing:-1em'>{}</p>",
    "flat box": "<div style='height:0;overflow:hidden'><p>{}</p></div>",
    "flat box that clips": "<div style='height:1px;overflow:clip'><p>{}</p></div>",
    "contained box": "<div style='height:0;contain:paint'><p>{}</p></div>",
    "narrow box": "<div style='width:0;overflow:hidden;white-space:nowrap'>{}</div>",
    "low box": "<div style='height:2px;overflow:hidden'><p style='margin:0'>{}</p></div>",
    # Outside the visible area.
    "left of the page": "<p style='position:absolute;left:-9999px'>{}</p>",
    "left of a box": "<div style='overflow:hidden;height:2em'><p style='position:relative;left:-9999px'>{}</p></div>",
    "left by a margin": "<p style='margin-left:-3000px;width:600px'>{}</p>",
    "above the page": "<p style='position:absolute;top:-9900px'>{}</p>",
    "moved away": "<p style='translate:-9999px'>{}</p>",
    "right of the window": "<p style='position:fixed;left:100%;width:300px'>{}</p>",
    "below the window": "<p style='position:fixed;top:200vh'>{}</p>",
    "below the fold of a box right of the window": "<div style='position:fixed;left:100%;width:300px;height:90px;overflow:auto'><p style='margin-top:200vh'>{}</p></div>",
    "below a box that does not scroll": "<div style='position:fixed;top:0;left:0;width:9px;height:9px;overflow:hidden'><p style='margin-top:200vh'>{}</p></div>",
    "indented away": "<p style='text-indent:-9999px;white-space:nowrap;overflow:hidden'>{}</p>",
    "indented out of its box": "<p style='text-indent:100%;white-space:nowrap;overflow:hidden'>{}</p>",
    "padded out of its box": "<p style='padding-left:500px;width:0;height:20px;overflow:hidden;white-space:nowrap'>{}</p>",
    # Clipped.
    "for readers aloud": "<h2 style='position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)'>{}</h2>",
    "clip": "<p style='position:absolute;clip:rect(1px,1px,1px,1px)'>{}</p>",
    "clip path": "<p style='clip-path:inset(50%)'>{}</p>",
    "clip from one side": "<p style='clip-path:inset(0 100% 0 0)'>{}</p>",
    "clip by pixels": "<p style='clip-path:inset(9999px)'>{}</p>",
    "clip circle": "<p style='clip-path:circle(0)'>{}</p>",
    "clip circle elsewhere": "<p style='clip-path:circle(9px at -99px -99px)'>{}</p>",
    "clip ellipse": "<p style='clip-path:ellipse(0 50%)'>{}</p>",
    "clip polygon": "<p style='clip-path:polygon(0 0,0 0,0 0)'>{}</p>",
    "clip line": "<p style='clip-path:polygon(0 0,100% 0,50% 0)'>{}</p>",
    "clip rectangle": "<p style='clip-path:xywh(0 0 0 0)'>{}</p>",
    "clip outline": "<p style='clip-path:path(\"M0 0\")'>{}</p>",
    "clip that is empty": "<svg width=0 height=0><clipPath id=empty></clipPath></svg><p style='clip-path:url(#empty)'>{}</p>",
    # In the color of the background.
    "white on white": "<p style='color:#fff'>{}</p>",
    "nearly white on white": "<div style='background:#fff'><p style='color:#f6f6f6'>{}</p></div>",
    "white on white, positioned": "<p style='position:relative;z-index:2;color:#fff'>{}</p>",
    "black on black": "<div style='background:#000'><p style='background:rgba(0,0,0,.5);color:#010101'>{}</p></div>",
    "white in oklch": "<p style='color:oklch(1 0 0)'>{}</p>",
    "white in oklab": "<p style='color:oklab(.99 0 0)'>{}</p>",
    "white in lab": "<p style='color:lab(100 0 0)'>{}</p>",
    "white in lch": "<p style='color:lch(99.5 0 0)'>{}</p>",
    "white in display-p3": "<p style='color:color(display-p3 1 1 1)'>{}</p>",
    "white in linear light": "<p style='color:color(srgb-linear .98 .98 .98)'>{}</p>",
    "white in xyz": "<p style='color:color(xyz .9505 1 1.089)'>{}</p>",
    "mixed white": "<p style='color:color-mix(in oklch,white 99%,black)'>{}</p>",
    "red on red in two spaces": "<div style='background:oklch(.628 .2577 29.23)'><p style='color:red'>{}</p></div>",
    "system colour": "<p style='color:Canvas'>{}</p>",
    "black in a dark scheme": "<div style='background:lab(0 0 0)'><p style='color:#000'>{}</p></div>",
    "white on a white gradient": "<p style='background:linear-gradient(#fff,#fefefe);color:#fff'>{}</p>",
    "white letters of a picture": "<p style='background:linear-gradient(#fff,#fff);background-clip:text;color:transparent'>{}</p>",
    "white shadow": "<p style='color:#fff;text-shadow:0 0 2px #fff'>{}</p>",
    "clear shadow": "<p style='color:transparent;text-shadow:0 0 2px transparent'>{}</p>",
    "white stroke": "<p style='color:#fff;-webkit-text-stroke:1px #fff'>{}</p>",
    "blended away": "<p style='color:#000;mix-blend-mode:screen'>{}</p>",
    "no difference": "<p style='color:#000;mix-blend-mode:difference'>{}</p>",
    "discs": "<p style='-webkit-text-security:disc'>{}</p>",
    "struck out": "<p style='text-decoration:line-through #fff 1.6em'>{}</p>",
    # Behind another element.
    "below a box": boxed(f"<p>{{}}</p><div style='{COVER}'></div>"),
    "below a box without events": boxed(f"<p>{{}}</p><div style='{COVER};pointer-events:none'></div>"),
    "below a black box": boxed("<p>{}</p><div style='position:absolute;inset:0;background:#000'></div>"),
    "below two boxes": boxed(
        "<p>{}</p><div style='position:absolute;inset:0 50% 0 0;background:#fff'></div>"
        "<div style='position:absolute;inset:0 0 0 50%;background:#fff'></div>"
    ),
    "below an earlier box": boxed(f"<div style='{COVER};z-index:3'></div><p>{{}}</p>"),
    "behind its own background": "<div style='background:#fff;isolation:isolate'><div style='background:#eee'><p style='position:relative;z-index:-1'>{}</p></div></div>",
    "below a picture": boxed(f'<p>{{}}</p><img style="{COVER};width:100%;height:100%" src="{WHITE_GIF}">'),
    "below a drawing": boxed(
        "<p>{}</p><svg style='position:absolute;inset:0;width:100%;height:100%'><rect width='100%' height='100%' fill='#fff'/></svg>"
    ),
    "below a background": boxed(
        f"<p>{{}}</p><div style='position:absolute;inset:0;background:url(\"{WHITE_PIXEL}\")'></div>"
    ),
    "below a gradient": boxed(
        "<p>{}</p><div style='position:absolute;inset:0;background:linear-gradient(red,blue)'></div>"
    ),
    "below a field": boxed(f"<p>{{}}</p><textarea style='{COVER};width:100%;height:100%'></textarea>"),
    "below a frame": boxed(f"<p>{{}}</p><iframe style='{COVER};width:100%;height:100%' srcdoc='<p>x</p>'></iframe>"),
    "below what follows": "<p style='margin:0 0 -60px;height:60px'>{}</p><div style='position:relative;height:60px;background:#fff'></div>",
    "below a float": "<p style='margin:0 0 -60px;height:60px'>{}</p><div style='float:left;width:100%;height:60px;background:#fff;position:relative'></div><br style='clear:both'>",
    "below a grid item": "<div style='display:grid'><p style='grid-area:1/1'>{}</p><div style='grid-area:1/1;background:#fff'></div></div>",
    "below what a style draws": "<style>.lid{{position:relative}}.lid::after{{content:'';position:absolute;inset:0;background:#fff}}</style><p class=lid>{}</p>",
    "below what a style draws around": "<style>.lids{{position:relative}}.lids p::after{{content:'';position:absolute;inset:0;background:#fff}}</style><div class=lids><p>{}</p></div>",
    "below a blur": boxed("<p>{}</p><div style='position:absolute;inset:0;backdrop-filter:blur(30px)'></div>"),
    "below a border": "<div style='position:relative;overflow:hidden'><p>{}</p><div style='position:absolute;top:0;left:0;right:0;border-top:300px solid #fff'></div></div>",
}

# Text that scrolling, a carousel or a control reveals, and visible text that only resembles hidden text.
VISIBLE = {
    "formula": "<p><math><mtext>{}</mtext></math></p>",
    "formula drawn from TeX": "<mjx-container style='display:block'><mjx-math data-latex='{}'>x</mjx-math></mjx-container>",
    "field": "<textarea>{}</textarea>",
    "next slide": "<div style='overflow:hidden;width:600px'><div style='width:600px;transform:translateX(600px)'>{}</div></div>",
    "slide before": "<div style='overflow:hidden;width:600px'><div style='width:600px;transform:translateX(-1200px)'>{}</div></div>",
    "scrolled box": "<div id=levels style='overflow:auto;height:50px'><p>{}</p><div style='height:9000px'></div></div>",
    "below the fold of a box": "<div style='overflow:auto;height:9px'><p style='margin-top:90px'>{}</p></div>",
    "below the fold of a page in a fixed box": "<div style='position:fixed;top:0;left:0;height:9px'><div style='overflow:auto;height:9px'><p style='margin-top:200vh'>{}</p></div></div>",
    "cut text with more to read": "<div style='overflow:hidden;max-height:30px'><p>First.</p><p>Second.</p><p>{}</p></div>",
    "below the page": "<p style='position:absolute;top:60000px'>{}</p>",
    "sticky": "<p style='position:sticky;top:0'>{}</p>",
    "fixed header": "<div style='position:fixed;top:0;left:0;background:#fff;width:300px'>{}</div>",
    "closed by a control": "<h3><button aria-expanded=false>more</button></h3><div style='height:0;overflow:hidden'><p>{}</p></div>",
    "open details": "<details open><summary>more</summary><p>{}</p></details>",
    "hidden but displayed": "<p hidden style='display:block'>{}</p>",
    "drawn when it is near": "<div style='content-visibility:auto;contain-intrinsic-size:9px'><p>{}</p></div>",
    "drawn when it is near, without a size": "<div style='position:absolute;top:50000px;content-visibility:auto'><p>{}</p></div>",
    "letters of their own size": "<div style='font-size:0'><p style='font-size:16px'>{}</p></div>",
    "small print": "<p style='font-size:7px'>{}</p>",
    "tight letters": "<p style='letter-spacing:-.06em'>{}</p>",
    "turned text": "<p style='transform:rotate(3deg)'>{}</p>",
    "front of a card": "<p style='transform:rotateY(20deg);backface-visibility:hidden'>{}</p>",
    "upright text": "<p style='writing-mode:vertical-rl;height:300px'>{}</p>",
    "opacity": "<p style='opacity:.3'>{}</p>",
    "half of an alpha": "<p style='color:rgb(0 0 0 / .5)'>{}</p>",
    "filters": "<p style='filter:grayscale(1) contrast(1.1) opacity(.6)'>{}</p>",
    "little blur": "<p style='filter:blur(.5px)'>{}</p>",
    "inverted with its background": "<div style='filter:invert(1) hue-rotate(180deg)'><div style='background:#fff'><p style='color:#000'>{}</p></div></div>",
    "inverted on dark": "<div style='background:#111'><p style='filter:invert(1);color:#000'>{}</p></div>",
    "mask that shows most": "<div style='mask-image:linear-gradient(#000 80%,transparent)'><p>{}</p></div>",
    "mask of a picture": f"<div style='mask:url(\"{WHITE_PIXEL}\")'><p>{{}}</p></div>",
    "mask that is there": "<svg width=0 height=0><mask id=most maskContentUnits=objectBoundingBox><rect width=1 height=1 fill=white /></mask></svg><p style='mask:url(#most)'>{}</p>",
    "white on a picture": "<div style='background:linear-gradient(#000,#333)'><p style='color:#fff'>{}</p></div>",
    "white on a background file": f'<div style=\'background:url("{WHITE_PIXEL}")\'><p style="color:#fff">{{}}</p></div>',
    "white on an image next to it": "<div style='position:relative'><svg style='position:absolute;inset:0;width:100%;height:100%'><rect width='100%' height='100%'/></svg>"
    "<p style='position:relative;color:#fff'>{}</p></div>",
    "white on a film": "<div style='position:relative'><video style='position:absolute;inset:0;width:100%;height:100%;background:#000'></video>"
    "<p style='position:relative;color:#fff'>{}</p></div>",
    "on a film's poster": f'<div style=\'position:relative\'><video poster="{WHITE_GIF}" style="position:absolute;inset:0;width:100%;height:100%"></video>'
    "<p style='position:relative'>{}</p></div>",
    "below a transparent lid that a style draws": "<style>.veil{{position:relative}}.veil::after{{content:'';position:absolute;inset:0;background:#fff;opacity:0}}</style><p class=veil>{}</p>",
    "white on what a style draws": "<style>.dark{{position:relative}}.dark::before{{content:'';position:absolute;inset:0;background:#000;z-index:-1}}"
    "</style><div class=dark><p style='color:#fff'>{}</p></div>",
    "white on dark": "<div style='background:#222'><p style='color:#fff'>{}</p></div>",
    "white on dark in oklch": "<div style='background:oklch(.2 .05 250)'><p style='color:oklch(.95 .01 90)'>{}</p></div>",
    "grey in lab": "<p style='color:lab(45 0 0)'>{}</p>",
    "colour of display-p3": "<p style='color:color(display-p3 .1 .4 .2)'>{}</p>",
    "dark mixture": "<p style='color:color-mix(in srgb,currentColor 60%,white)'>{}</p>",
    "letters of a picture": "<p style='background:linear-gradient(red,blue);background-clip:text;color:transparent'>{}</p>",
    "letters of a background": "<p style='background:#036;background-clip:text;color:transparent'>{}</p>",
    "shadow alone": "<p style='color:transparent;text-shadow:0 0 1px #000'>{}</p>",
    "stroke alone": "<p style='color:transparent;-webkit-text-stroke:1px #000'>{}</p>",
    "white with a stroke": "<p style='color:#fff;-webkit-text-stroke:1px oklch(.3 0 0)'>{}</p>",
    "blended to dark": "<p style='color:#fff;mix-blend-mode:difference'>{}</p>",
    "multiplied": "<p style='color:#333;mix-blend-mode:multiply'>{}</p>",
    "blended with its own background": "<div style='mix-blend-mode:multiply;background:#eee'><p>{}</p></div>",
    "struck out": "<p><s>{}</s></p>",
    "underlined broadly": "<p style='text-decoration:underline 1em #fe0'>{}</p>",
    "inside what is hidden": "<div style='visibility:hidden'><p style='visibility:visible'>{}</p></div>",
    "no box of its own": "<div style='display:contents'><p>{}</p></div>",
    "in a form with such names": "<form><input name=scrollTop><input name=getBoundingClientRect><p>{}</p></form>",
    "clipped a little": "<p style='clip-path:inset(0 0 0 5px)'>{}</p>",
    "in a polygon": "<div style='clip-path:polygon(0 0,100% 0,100% 90%,0 100%)'><p>{}</p></div>",
    "in an outline": "<div style='clip-path:path(\"M0 0H2000V900H0Z\")'><p>{}</p></div>",
    "below a clear box": boxed("<p>{}</p><div style='position:absolute;inset:0;pointer-events:none'></div>"),
    "below a clear link": boxed("<p>{}</p><a href=/x style='position:absolute;inset:0'></a>"),
    "below a thin box": boxed("<p>{}</p><div style='position:absolute;inset:0;background:rgb(0 0 0 / 20%)'></div>"),
    "below a faint box": boxed(f"<p>{{}}</p><div style='{COVER};opacity:.2'></div>"),
    "below an unseen box": boxed(f"<p>{{}}</p><div style='{COVER};visibility:hidden'></div>"),
    "below a clear picture": boxed(
        f'<p>{{}}</p><img style="position:absolute;inset:0;width:100%;height:100%" src="{CLEAR_GIF}">'
    ),
    "below a clear canvas": boxed(
        "<p>{}</p><canvas style='position:absolute;inset:0;width:100%;height:100%'></canvas>"
    ),
    "below a clear drawing": boxed(
        "<p>{}</p><svg style='position:absolute;inset:0;width:100%;height:100%'><path d='M0 0L900 9' stroke='red'/></svg>"
    ),
    "below a grain": boxed(
        f"<p>{{}}</p><div style='position:absolute;inset:0;pointer-events:none;background:url(\"{CLEAR_PIXEL}\")'></div>"
    ),
    "below a multiplied box": boxed(f"<p>{{}}</p><div style='{COVER};mix-blend-mode:multiply'></div>"),
    "below a clear gradient": boxed(
        "<p>{}</p><div style='position:absolute;inset:0;background:linear-gradient(transparent 90%,#fff)'></div>"
    ),
    "below the corner of a box": boxed(
        "<p>{}</p><div style='position:absolute;top:0;left:0;width:90px;height:90px;background:#fff'></div>"
    ),
    "above a box": boxed(f"<div style='{COVER}'></div><p style='position:relative'>{{}}</p>"),
    "above a box by its level": boxed(
        f"<p style='position:relative;z-index:2'>{{}}</p><div style='{COVER};z-index:1'></div>"
    ),
    "above a box behind": boxed(
        f"<div style='isolation:isolate'><p>{{}}</p><div style='{COVER};z-index:-1'></div></div>"
    ),
    "above a box below all": boxed(f"<p>{{}}</p><div style='isolation:isolate;z-index:-1;{COVER}'></div>"),
    "above a background of blocks": "<p style='margin:0 0 -60px;height:60px'>{}</p><div style='height:60px;background:#fff'></div>",
    "next to what a box cuts": "<div style='display:flex'><div style='overflow:hidden;width:200px;position:relative;height:60px'><div style='position:absolute;width:2000px;height:60px;background:#fff'></div></div><p>{}</p></div>",
    "scrolled from under a header": "<div style='overflow:auto;height:90px;position:relative'><div style='position:sticky;top:0;height:60px;background:#fff'>Levels</div><p style='margin-top:-50px;height:50px'>{}</p><div style='height:900px'></div></div>",
    "below a tooltip": boxed(f"<p>{{}}</p><div role=tooltip style='{COVER}'>Save</div>"),
    "below a window that closes": boxed(f"<p>{{}}</p><div role=dialog style='{COVER}'><button>Close</button></div>"),
}
