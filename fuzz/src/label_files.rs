//! Label files: any bytes are read or refused, however they arrive; what was read writes, and reads again to the same.

use forebay::{
    Result,
    annotations::{
        Annotation, Labels, Listing, Notes, Picture, ReadOptions, Shape, Task, cvat, voc,
        yolo::{self, Data, Set},
    },
};

fn options() -> ReadOptions {
    let mut options = ReadOptions::default();
    options.limits = super::limits();
    options.voc_base = Some(1);
    options.scores = true;
    options
}

/// CVAT: whole and in pieces.
pub(crate) fn cvat(data: &[u8]) {
    let whole = cvat::read(data, &options());
    let pieces = in_pieces(data);
    match (whole, pieces) {
        (Ok(whole), Ok(pieces)) => {
            assert_eq!(whole, pieces, "the pieces of a file change nothing");
            cvat_again(&whole);
        }
        (Err(whole), Err(pieces)) => assert_eq!(whole.code().id(), pieces.code().id()),
        (whole, pieces) => panic!("whole {:?}, in pieces {:?}", whole.err(), pieces.err()),
    }
}

fn in_pieces(data: &[u8]) -> Result<Labels> {
    let mut labels = Labels::default();
    let mut reader = cvat::Reader::new(&options());
    let mut sink = |picture| {
        labels.pictures.push(picture);
        Ok(())
    };
    for piece in data.chunks(17) {
        reader.feed(piece, &mut sink)?;
    }
    (labels.classes, labels.notes) = reader.finish(&mut sink)?;
    Ok(labels)
}

fn cvat_again(labels: &Labels) {
    let mut text = Vec::new();
    let put = &mut |bytes: &[u8]| {
        text.extend_from_slice(bytes);
        Ok(())
    };
    cvat::write(labels, put).expect("labels that can be written");
    // What XML cannot hold was replaced, so two names may be one now.
    if String::from_utf8_lossy(&text).contains('\u{fffd}') {
        return;
    }
    let back = cvat::read(&text, &options()).expect("what was written is read");
    assert_eq!(back.pictures.len(), labels.pictures.len());
    for (a, b) in back.pictures.iter().zip(&labels.pictures) {
        assert_eq!(a.annotations.len(), b.annotations.len());
        // A mask gets the smallest box that holds it.
        let is_mask = |a: &Annotation| matches!(a.shape, Shape::Mask(_));
        assert!(a.annotations.iter().zip(&b.annotations).all(|(a, b)| a.rect == b.rect || is_mask(b)));
    }
}

pub(crate) fn cvat_seeds() -> Vec<Vec<u8>> {
    let image = "<image id='0' name='a.jpg' width='32' height='24'><box label='car' xtl='1' ytl='2' xbr='3.5' ybr='4' \
        rotation='30' occluded='1'><attribute name='c'>red</attribute></box><polygon label='car' points='1,2;3,4;5,0'/>\
        <mask label='car' rle='1, 2, 1' left='4' top='5' width='2' height='2'/><points label='car' points='1,2'/></image>";
    let track = "<track id='1' label='car'><box frame='0' xtl='1' ytl='2' xbr='3' ybr='4'/>\
        <box frame='3' outside='1' xtl='1' ytl='2' xbr='3' ybr='4'/></track>";
    let meta = "<meta><task><labels><label><name>car</name></label></labels><original_size><width>32</width>\
        <height>24</height></original_size><stop_frame>4</stop_frame></task></meta>";
    let utf16: Vec<u8> = "\u{feff}<annotations/>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    vec![
        format!("<?xml version=\"1.0\"?><annotations>{meta}{image}</annotations>").into_bytes(),
        format!("<annotations>{meta}<!-- x -->{track}</annotations>").into_bytes(),
        utf16,
    ]
}

/// Pascal VOC, and LabelMe's old files.
pub(crate) fn voc(data: &[u8]) {
    let mut classes = Default::default();
    let Ok(picture) = voc::read(data, &mut classes, &mut Notes::default(), &options()) else { return };
    let mut losses = Default::default();
    let text = voc::write(&picture, &classes, &mut losses);
    let back = voc::read(text.as_bytes(), &mut classes, &mut Notes::default(), &options());
    let back = back.unwrap_or_else(|e| panic!("what was written is read: {e}\n{text}"));
    assert!(back.annotations.len() <= picture.annotations.len());
}

pub(crate) fn voc_seeds() -> Vec<Vec<u8>> {
    let object = "<object><name>car</name><difficult>1</difficult><bndbox><xmin>11</xmin><ymin>21.5</ymin>\
        <xmax>60</xmax><ymax>1.8e2</ymax></bndbox></object>";
    let size = "<size><width>320</width><height>240</height></size>";
    let point = "<pt><x>1</x><y>2</y></pt>";
    vec![
        format!("<annotation><filename>a.jpg</filename>{size}{object}</annotation>").into_bytes(),
        format!("<annotation><object><name>a &amp; b</name><polygon>{point}{point}</polygon></object></annotation>").into_bytes(),
        b"<?xml version='1.0' encoding='ISO-8859-1'?><!DOCTYPE annotation><annotation><filename>\xe9</filename></annotation>".to_vec(),
    ]
}

/// YOLO: what describes a set up to the first NUL, and lines behind it.
pub(crate) fn yolo(data: &[u8]) {
    let (about, lines) = data.iter().position(|b| *b == 0).map_or((data, &[][..]), |at| (&data[..at], &data[at + 1..]));
    let _ = Data::from_darknet(about);
    let _ = Data::default().take_names(about);
    let Ok(described) = Data::from_yaml(about, &super::limits()) else { return };
    let listing: Listing = ["data.yaml", "train.txt", "images/a.jpg", "labels/a.txt"].into_iter().collect();
    if let Ok(lists) = Set::lists(&described, &listing) {
        let lists = lists.into_iter().map(|name| (name, lines.to_vec())).collect();
        if let Ok(set) = Set::find(&described, &listing, &lists) {
            assert!(set.members.iter().all(|member| listing.has(&member.picture)), "an image of the set");
        }
    }
    for task in [None, Some(Task::Obb), Some(Task::Segment)] {
        let mut options = options();
        options.task = task;
        let Ok(found) = yolo::read(lines, (320, 240), &described, &options, &mut Notes::default()) else { continue };
        let mut labels = Labels::default();
        labels.classes = described.classes.clone();
        let mut picture = Picture::named("a.jpg");
        (picture.width, picture.height) = (Some(320), Some(240));
        picture.annotations = found;
        labels.pictures = vec![picture];
        let mut files = Vec::new();
        let put = &mut |name: &str, text: &[u8]| {
            files.push((name.to_owned(), text.to_vec()));
            Ok(())
        };
        yolo::write(&labels, task, put).expect("labels that can be written");
        let again = Data::from_yaml(&files[0].1, &super::limits()).expect("what was written is read");
        assert_eq!(again.classes.len(), described.classes.len());
        let back = yolo::read(&files[1].1, (320, 240), &again, &options, &mut Notes::default());
        assert!(back.expect("what was written is read").len() <= labels.pictures[0].annotations.len());
    }
}

pub(crate) fn yolo_seeds() -> Vec<Vec<u8>> {
    vec![
        b"path: .\ntrain: images\nval: train.txt\nnc: 2\nnames: [car, 'a b']\n\x000 0.5 0.5 0.1 0.1\n1 0.5 0.5 0.1 0.1 0.9\n".to_vec(),
        b"names: &n\n  0: \"\\u0441\"\n  7: x\nkpt_shape: [1, 3]\n\x007 0.5 0.5 0.1 0.1 0.5 0.5 2\n".to_vec(),
        b"train: train.txt\nnames:\n- car\n\x000 0.2 0.2 0.8 0.2 0.8 0.8 0.2 0.8\n".to_vec(),
        b"classes = 1\nnames = obj.names\ntrain = data/train.txt\n".to_vec(),
    ]
}
